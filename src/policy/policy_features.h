/* SPDX-License-Identifier: ISC */
/*
 * What the view of a line notices by itself, one row each: identifier, word
 * in the file, what it means to a person.  The includer defines
 * POL_FEATURE; the order gives the bit.
 */
POL_FEATURE(SPELLED_NAME, "spelled-name",
	"the command's name is put together from quoted pieces")
POL_FEATURE(ODD_NAME, "odd-name",
	"the command's name holds characters that only look like letters")
POL_FEATURE(BRACE_NAME, "brace-name",
	"a list in braces becomes the command and its words")
POL_FEATURE(SELF_SHELL, "self-shell",
	"the command is this shell itself, by a variable")
POL_FEATURE(BUILT_NAME, "built-name",
	"the command's name comes from a variable that the line assigns")
POL_FEATURE(LOADED_VALUE, "loaded-value",
	"the value of a variable holds a command that bash may run")
POL_FEATURE(HIDDEN_TEXT, "hidden-text",
	"the line holds bidirectional or invisible characters")
POL_FEATURE(BARE_SHELL, "bare-shell",
	"a shell is started with no program and no script")
POL_FEATURE(STDIN_PROGRAM, "stdin-program",
	"an interpreter reads its program from a pipe or a file")
POL_FEATURE(FORK_BOMB, "fork-bomb",
	"a function starts itself more than once or in the background")
POL_FEATURE(SELF_START, "self-start",
	"the line starts this very shell or script again in the background")
POL_FEATURE(WRITTEN_THEN_RUN, "written-then-run",
	"the line runs a file that it has just written")
POL_FEATURE(WRITTEN_THEN_USED, "written-then-used",
	"a program is given a file that the line has just written")
POL_FEATURE(WRITTEN_THEN_MARKED, "written-then-marked",
	"the line changes owner or mode of a file that it has just written")
POL_FEATURE(MARKED_THEN_RUN, "marked-then-run",
	"the line changes the mode of a file and runs it")
POL_FEATURE(OWN_TREE, "own-tree",
	"what it deletes or changes lies below the working directory, a home "
	"or /tmp")
POL_FEATURE(OWN_START, "own-start",
	"where it starts lies in the working directory, a home or /tmp")
POL_FEATURE(IFS_GAME, "ifs-game",
	"IFS decides where the command's words begin and end")
POL_FEATURE(SHADOWS, "shadows",
	"a function takes the name of a builtin or a well-known program")
POL_FEATURE(LINK_NAME, "link-name",
	"the file that runs has another name than the command")
POL_FEATURE(NESTED, "nested",
	"the command stands in a program inside the line")
POL_FEATURE(IN_LOOP, "in-loop", "the command stands in a loop")
POL_FEATURE(IN_BACKGROUND, "in-background", "the command runs on unseen")
POL_FEATURE(IN_SUBST, "in-substitution",
	"the command's output becomes part of another command")
POL_FEATURE(IN_FUNCTION, "in-function", "the command stands in a function")
POL_FEATURE(MORE_ARGS, "more-args",
	"the command gets words that only running would tell")
POL_FEATURE(WORDS_ADDED, "words-added",
	"words that only running would tell come right behind its own")
POL_FEATURE(NO_OPERANDS, "no-operands", "the command has no operands")
POL_FEATURE(LONG_LINE, "long-line", "the command is very long")
POL_FEATURE(WHOLE_LINE, "whole-line",
	"the line is this one simple command and nothing else")
POL_FEATURE(PLAIN_WORDS, "plain-words", "every word of the command is known")
POL_FEATURE(BENT_PATH, "bent-path",
	"a path goes through /proc/self/root or a like detour")
