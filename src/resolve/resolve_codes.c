/* SPDX-License-Identifier: ISC */
/*
 * The table of programs that take code of another language in an argument,
 * or on standard input; one row each, from their manual pages, in byte order
 * of the name.
 */
#include "resolve_int.h"

#include <string.h>

#define VIM_GRAMMAR "c:S:u:U:i:w:W:T: cmd: startuptime: log: " \
	"remote-expr: remote-send: servername: socketid:"
#define VIM_CODE "c cmd remote-expr remote-send"
#define NODE_GRAMMAR "+e:p:r:C: eval: print: require: import: loader: " \
	"experimental-loader: conditions: input-type: title: env-file: " \
	"inspect:: inspect-brk:: watch-path: stack-trace-limit: " \
	"max-old-space-size:"
#define NODE_CODE "e p eval print pe"
#define GDB_GRAMMAR "~ x: ex: eval-command: iex: init-eval-command: " \
	"command: ix: init-command: p: pid: c: core: s: symbols: e: exec: " \
	"se: d: directory: cd: b: l: tty: data-directory: interpreter:"
#define MAKE_GRAMMAR "f:C:I:j::l::o:W:E: file: makefile: directory: " \
	"include-dir: jobs:: load-average:: old-file: assume-old: " \
	"what-if: new-file: assume-new: eval: debug:: output-sync::"
#define MAIL_GRAMMAR "a:b:c:F:f:h:i:q:r:S:s:T:u:A:E append: attach: bcc: " \
	"cc: file: quote-file: return-address: subject: user: exec:"

static const struct code_row codes[] = {
	{ "R", "r", "e:f:g: file:", "e", NULL },
	{ "Rscript", "r", "+e:", "e", NULL },
	{ "awk", "awk", "+f:F:v:e:E:l:i: file: source: field-separator: "
	    "assign: load: include: exec:", "e source",
	    "f file E exec e source" },
	{ "bc", "bc", "e: expression:", "e expression", NULL,
	    .reads_stdin = true },
	{ "bpftrace", "bpftrace", "+e:p:c:f:o:I:B:", "e", NULL },
	{ "bsd-mailx", "mail", MAIL_GRAMMAR, NULL, NULL, .reads_stdin = true },
	{ "bun", "javascript", "e:p: eval: print:", "e p eval print", NULL },
	{ "clisp", "lisp", "+x:i:E:K:M:", "x", NULL },
	{ "dc", "dc", "e:f: expression: file:", "e expression", NULL,
	    .reads_stdin = true },
	{ "deno", "javascript", "", NULL, NULL, "eval" },
	{ "ed", "ed", "p: prompt:", NULL, NULL, .reads_stdin = true },
	{ "elixir", "elixir", "+e:r:S: eval: rpc-eval: require: name: "
	    "sname: cookie:", "e eval rpc-eval", NULL },
	{ "emacs", "elisp", "l:f:q eval: execute: load: funcall: insert:",
	    "eval execute", NULL },
	{ "emacsclient", "elisp", "a:d:f:s:T:F: alternate-editor: display: "
	    "server-file: socket-name:", NULL, NULL },
	{ "erl", "erlang", "~ eval: name: sname: setcookie: config: pa: pz:",
	    "eval", NULL },
	{ "evim", "vim", VIM_GRAMMAR, VIM_CODE, NULL,
	    .reads_stdin = true },
	{ "ex", "vim", VIM_GRAMMAR, VIM_CODE, NULL,
	    .reads_stdin = true },
	{ "expect", "tcl", "+c:f:", "c", NULL },
	{ "ftp", "ftp", "N:P:T:s:r:u:", NULL, NULL, .reads_stdin = true },
	{ "gawk", "awk", "+f:F:v:e:E:l:i: file: source: field-separator: "
	    "assign: load: include: exec:", "e source",
	    "f file E exec e source" },
	{ "gdb", "gdb", GDB_GRAMMAR,
	    "ex iex eval-command init-eval-command", NULL,
	    .reads_stdin = true },
	{ "ghc", "haskell", "e:", "e", NULL },
	{ "gimp", "scheme", "b: batch: batch-interpreter:", "b batch", NULL },
	{ "gmake", "make", MAKE_GRAMMAR, "E eval", NULL },
	{ "gnuplot", "gnuplot", "+e:d:", "e", NULL },
	{ "groovy", "java", "e:", "e", NULL },
	{ "gsed", "sed", "e:f:l: expression: file: line-length:",
	    "e expression", "e expression f file" },
	{ "guile", "scheme", "+c:s:l:e:L:C:", "c", NULL },
	{ "gview", "vim", VIM_GRAMMAR, VIM_CODE, NULL,
	    .reads_stdin = true },
	{ "gvim", "vim", VIM_GRAMMAR, VIM_CODE, NULL,
	    .reads_stdin = true },
	{ "iex", "elixir", "+e:r:S: eval: rpc-eval: require: name: sname: "
	    "cookie:", "e eval rpc-eval", NULL },
	{ "ipython", "python", "+c:m: command: profile:", "c command", NULL },
	{ "irb", "ruby", "+e:r:I:", "e", NULL },
	{ "jrunscript", "java", "~ e: f: l: cp: classpath:", "e", NULL },
	{ "jshell", "java", "R: class-path:", NULL, NULL },
	{ "julia", "julia", "+e:E:p:L:J:C: eval: print: load:",
	    "e E eval print", NULL },
	{ "knife", "ruby", "E: exec:", "E", NULL },
	{ "latex", "tex", "~ output-directory: jobname: fmt: interaction:",
	    NULL, "version help" },
	{ "lftp", "ftp", "c:e:f:p:u: norc", "c e", NULL, .reads_stdin = true },
	{ "lldb", "gdb", "a:f:c:o:O:k:K:s:S:p:n:w:l:r: arch: file: core: "
	    "one-line: one-line-before-file: one-line-on-crash: source: "
	    "source-before-file: source-on-crash: attach-name: attach-pid: "
	    "script-language: repl::", "o O k one-line one-line-before-file "
	    "one-line-on-crash", NULL, .reads_stdin = true },
	{ "lua", "lua", "+e:l:", "e", NULL },
	{ "luajit", "lua", "+e:l:b:j:", "e", NULL },
	{ "luatex", "tex", "~ output-directory: jobname: fmt:", NULL,
	    "version help" },
	{ "m4", "m4", "+B:D:F:I:L:R:S:T:U:d::l:o:t: define: undefine: "
	    "include: freeze-state: reload-state: debug:: debugfile: trace: "
	    "error-output: nesting-limit: hashsize: arglength:", "D define",
	    NULL,
	    .reads_stdin = true },
	{ "mail", "mail", MAIL_GRAMMAR, NULL, NULL, .reads_stdin = true },
	{ "mailx", "mail", MAIL_GRAMMAR, NULL, NULL, .reads_stdin = true },
	{ "make", "make", MAKE_GRAMMAR, "E eval", NULL },
	{ "mariadb", "sql", "e:h:u:D:P:S:p:: execute: init-command: host: "
	    "user: database: port: socket: password:: pager:: tee:",
	    "e execute init-command", NULL, .reads_stdin = true },
	{ "mawk", "awk", "+f:F:v:W:", NULL, "f file" },
	{ "mongo", "javascript", "u:p: eval: username: password: host: port:",
	    "eval", NULL, .reads_stdin = true },
	{ "mongosh", "javascript", "u:p: eval: username: password: host: port:",
	    "eval", NULL },
	{ "mutt", "mutt", "a:b:c:e:f:F:H:i:m:n:p:Q:s:x:A:C:D:", "e", NULL },
	{ "mysql", "sql", "e:h:u:D:P:S:p:: execute: init-command: host: "
	    "user: database: port: socket: password:: pager:: tee:",
	    "e execute init-command", NULL, .reads_stdin = true },
	{ "nawk", "awk", "+f:F:v:", NULL, "f" },
	{ "ncftp", "ftp", "u:p:P:j:", NULL, NULL, .reads_stdin = true },
	{ "neomutt", "mutt", "a:b:c:e:f:F:H:i:m:n:p:Q:s:x:A:C:D:", "e", NULL },
	{ "node", "javascript", NODE_GRAMMAR, NODE_CODE, NULL },
	{ "nodejs", "javascript", NODE_GRAMMAR, NODE_CODE, NULL },
	{ "nvim", "vim", VIM_GRAMMAR, VIM_CODE, NULL, .reads_stdin = true },
	{ "ocaml", "ocaml", "+e:I:w:", "e", NULL },
	{ "octave", "octave", "+ eval:", "eval", NULL },
	{ "pdflatex", "tex", "~ output-directory: jobname: fmt:", NULL,
	    "version help" },
	{ "pdftex", "tex", "~ output-directory: jobname: fmt:", NULL,
	    "version help" },
	{ "perl", "perl", "+e:E:I:m::M::D::V::d::i::x::F::", "e E", NULL },
	{ "perl6", "perl", "+e:M:I:", "e", NULL },
	{ "php", "php", "+r:R:B:E:F:d:c:f:S:t:z: run: process-code: "
	    "process-begin: process-end: define: php-ini: file: server: "
	    "docroot: process-file:",
	    "r R B E run process-code process-begin process-end", NULL },
	{ "psql", "sql", "c:f:h:U:d:p:o:v:L:F:P:R:T: command: file: host: "
	    "username: dbname: port: output: set: variable: log-file: "
	    "field-separator: record-separator: pset: table-attr:",
	    "c command", NULL, .reads_stdin = true },
	{ "puppet", "puppet", "e: execute:", "e execute", NULL },
	{ "pypy", "python", "+c:m:W:X:", "c", NULL },
	{ "python", "python", "+c:m:W:X: check-hash-based-pycs:", "c", NULL },
	{ "r", "r", "e:f:g: file: args", "e", NULL },
	{ "racket", "scheme", "+e:f:t:l:r:p:", "e", NULL },
	{ "rails", "ruby", "+e:p: environment:", NULL, NULL,
	    .after = "runner r" },
	{ "rake", "ruby", "e:E:p:f:I:r:R:N:P execute: execute-print: "
	    "execute-continue: rakefile: libdir: require: rakelib:", "e E p "
	    "execute execute-print execute-continue", NULL },
	{ "raku", "perl", "+e:M:I:", "e", NULL },
	{ "red", "ed", "p: prompt:", NULL, NULL, .reads_stdin = true },
	{ "rpm", "rpm", "D:E:q:r: define: eval: pipe: root: dbpath: "
	    "queryformat: qf: macros: rcfile:", "D E define eval", NULL },
	{ "rpmbuild", "rpm", "D:E: define: eval: root: buildroot: target: "
	    "macros:", "D E define eval", NULL },
	{ "ruby", "ruby", "+e:C:E:F::I:K::r:i::x::T::W:: encoding: enable: "
	    "disable:",
	    "e", NULL },
	{ "rview", "vim", VIM_GRAMMAR, VIM_CODE, NULL,
	    .reads_stdin = true },
	{ "rvim", "vim", VIM_GRAMMAR, VIM_CODE, NULL,
	    .reads_stdin = true },
	{ "s-nail", "mail", MAIL_GRAMMAR, NULL, NULL, .reads_stdin = true },
	{ "sed", "sed", "e:f:l:E expression: file: line-length:",
	    "e expression", "e expression f file" },
	{ "sftp", "ftp", "b:B:c:D:F:i:J:l:o:P:R:S:s:X:", NULL, NULL,
	    .reads_stdin = true },
	{ "smbclient", "ftp", "c:D:I:p:U:W:A:s:d:T:t:m:O:n:B:l:i:R: "
	    "command: directory: user:", "c command", NULL, .reads_stdin = true
	    },
	{ "sqlite3", "sql", "~ cmd: init: separator: nullvalue: newline: vfs: "
	    "maxsize: mmap: nonce: lookaside:", "cmd", NULL, .operand = 2,
	    .reads_stdin = true },
	{ "tclsh", "tcl", "+", NULL, NULL },
	{ "telnet", "ftp", "b:e:l:n:S:X:", NULL, NULL, .reads_stdin = true },
	{ "tex", "tex", "~ output-directory: jobname: fmt:", NULL,
	    "version help" },
	{ "vi", "vim", VIM_GRAMMAR, VIM_CODE, NULL,
	    .reads_stdin = true },
	{ "view", "vim", VIM_GRAMMAR, VIM_CODE, NULL,
	    .reads_stdin = true },
	{ "vifm", "vim", "c:", "c", NULL },
	{ "vim", "vim", VIM_GRAMMAR, VIM_CODE, NULL,
	    .reads_stdin = true },
	{ "vimdiff", "vim", VIM_GRAMMAR, VIM_CODE, NULL,
	    .reads_stdin = true },
	{ "vimx", "vim", VIM_GRAMMAR, VIM_CODE, NULL,
	    .reads_stdin = true },
	{ "xelatex", "tex", "~ output-directory: jobname: fmt:", NULL,
	    "version help" },
};

const struct code_row *
resolve_code_row(const char *name)
{
	return resolve_find_row(codes, AEG_NELEM(codes), sizeof codes[0],
	    name);
}

const char *
resolve_codes_unsorted(void)
{
	return resolve_rows_unsorted(codes, AEG_NELEM(codes),
	    sizeof codes[0]);
}

bool
resolve_is_language(const char *name)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(codes); i++)
		if (strcmp(codes[i].language, name) == 0)
			return true;
	/* Of no program of its own. */
	return strcmp(name, "package") == 0 || strcmp(name, "shell") == 0;
}
