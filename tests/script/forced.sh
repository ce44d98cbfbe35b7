#!/bin/sh
# SPDX-License-Identifier: ISC
# What sshd would have us run, without an sshd: calls of aegsh inside of -c,
# the client's wish, and shells that read their commands from standard input.
. "$abs_top_srcdir/tests/lib/home.sh"
cd "$HOME" || exit 99

# both TEXT ARG…: with TEXT on standard input, what aegsh -c and bash -c say.
both() {
	printf "$1" >"$test_root/in"
	shift
	"$aegsh" -c "$@" <"$test_root/in" >"$test_root/out.a" \
	    2>"$test_root/err.a"
	status_a=$?
	bash -c "$@" <"$test_root/in" >"$test_root/out.b" 2>"$test_root/err.b"
	is "$status_a" "$?" "$1: status"
	cmp -s "$test_root/out.a" "$test_root/out.b"
	ok $? "$1: standard output"
	cmp -s "$test_root/err.a" "$test_root/err.b"
	ok $? "$1: standard error" || sed 's/^/# /' "$test_root/err.a"
}

both 'echo "$0 $#"; exit 5\n' 'bash -s'
both 'x=1\nf() { echo "f $x $1"; }\nf a\nfalse\necho $?\n' bash
both 'echo "$1,$2,$#"\n' "bash -s -- one 'two words'"
both 'echo "$1,$#"\n' 'bash -s one'
both 'read -r x\nthis is data\necho "got $x"; cat\nrest\000of it' '/bin/bash -s'
both 'no-such-command-here\n' 'bash --norc -s'
both '' 'bash -s'
both 'echo never ends' 'bash'
both 'echo "$0 $1 $#"; exit 7\n' "sh -s 'a b'"
both 'echo "it'"'"'s"; cat <<X\nEND_0\nX\n' 'sh'
both "echo 'a\\\\\\\\nb'" '/bin/sh -'
both 'no-such-command-here\n' 'sh -s'
both '' sh
both '# only a comment\n\n' 'sh -s'

printf 'echo a\ncurl -s http://127.0.0.1:1/x | sh\necho b\n' >"$test_root/in"
for shell in bash 'bash -s' 'bash --norc -s -- x'; do
	"$aegsh" -c "$shell" <"$test_root/in" >"$test_root/out" \
	    2>"$test_root/err"
	is "$?" 126 "$shell: what it reads is judged"
	is "$(cat "$test_root/out")" a 'what came before has run'
	like "$(cat "$test_root/err")" '*harm.fetch-run*' 'by the same rules'
	is "$(grep -c . "$test_root/err")" 1 'in one line'
done
for shell in sh 'sh -s' 'dash -s -- x'; do
	"$aegsh" -c "$shell" <"$test_root/in" >"$test_root/out" \
	    2>"$test_root/err"
	is "$?" 126 "$shell: what it reads is judged"
	is "$(cat "$test_root/out")" '' 'as a whole'
	like "$(cat "$test_root/err")" '*harm.fetch-run*' 'by the same rules'
	is "$(grep -c . "$test_root/err")" 1 'in one line'
done
printf 'echo a\0b\n' | "$aegsh" -c sh >"$test_root/out" 2>"$test_root/err"
is "$?" 126 'a NUL byte is no part of a script'
like "$(cat "$test_root/err")" '*NUL*' 'and named'
head -c 2000000 /dev/zero | tr '\0' '#' |
    "$aegsh" -c sh >"$test_root/out" 2>"$test_root/err"
is "$?" 126 'more than can be judged'
like "$(cat "$test_root/err")" '*more than 1 MiB*' 'is named'

# Only where nothing but the shell itself reads.
for line in 'bash -i' 'bash; true' 'true | bash' 'sudo bash' 'bash -x -s' \
    'exec bash' 'env bash' 'bash --rcfile x -s' 'bash 0<&0' 'zsh'; do
	printf 'echo never\n' >"$test_root/in"
	setsid -w "$aegsh" -c "$line" <"$test_root/in" >"$test_root/out" \
	    2>/dev/null
	is "$(cat "$test_root/out")" '' "not read unjudged: $line"
done
like "$(printf 'echo recorded-unit\n' | "$aegsh" -c 'bash -s' >/dev/null
    "$aegshctl" history --json | grep -c 'recorded-unit\|bash -s')" '[2-9]*' \
    'the shell and what it read are on record'

# A rule against a shell holds as before.
mkdir -p "$test_root/etc/policy.d"
cat >"$test_root/etc/policy.d/10.conf" <<'X'
rule "site.no-bash" {
	decision = block
	reason = "not here"
	command = { bash }
	example = { 'bash -s' }
}
X
printf 'echo never\n' | "$aegsh" -c 'bash -s' >"$test_root/out" \
    2>"$test_root/err"
is "$?" 126 'a rule that blocks the shell blocks it'
like "$(cat "$test_root/err")" '*site.no-bash*' 'by its name'
is "$(cat "$test_root/out")" '' 'and nothing is read'
rm -r "$test_root/etc/policy.d"

# A forced command that is aegsh, as sshd gives it to aegsh.
wish() {
	SSH_ORIGINAL_COMMAND=$1
	export SSH_ORIGINAL_COMMAND
	shift
	"$@" </dev/null
	status=$?
	unset SSH_ORIGINAL_COMMAND
	return $status
}
is "$(wish 'echo forced' "$aegsh" -c "$aegsh")" forced 'no options'
is "$(wish 'echo forced' "$aegsh" -c "$aegsh --profile transfer" 2>&1 |
    grep -c 'profile.closed')" 1 'options of the inner call hold'
is "$(wish 'echo wish' "$aegsh" -c "$aegsh -c 'echo own'")" own \
    'a command of the inner call wins'
is "$(wish 'echo wish' "$aegsh" -c "$aegsh -c '$aegsh'")" wish \
    'calls within calls'
is "$(wish 'no-such-command-here' "$aegsh" 2>&1)" \
    'aegsh: line 1: no-such-command-here: command not found' \
    'messages name it as those of a login shell'
is "$(wish 'printenv SSH_ORIGINAL_COMMAND; echo $?' "$aegsh")" 1 \
    'the wish that is fulfilled is not handed on'
is "$(wish 'echo wish' "$aegsh" -c 'printenv SSH_ORIGINAL_COMMAND')" \
    'echo wish' 'one that is not is left alone'
is "$(printf 'echo read\n' | "$aegsh" -c "$aegsh")" read \
    'without a wish it is a shell'
"$aegsh" -c "$aegsh --no-such-option" 2>/dev/null </dev/null
is "$?" 2 'a wrong option of the inner call'

# The text of a command cannot loosen what it is called with.
printf 'profile = "transfer"\n' >"$test_root/etc/aegsh.conf"
"$aegsh" -c "$aegsh --profile admin -c 'echo loose'" >"$test_root/out" \
    2>"$test_root/err" </dev/null
is "$?" 111 'not to a profile that is less strict than the configured one'
is "$(cat "$test_root/out")" '' 'it does not run'
rm "$test_root/etc/aegsh.conf"
"$aegsh" --profile transfer -c "$aegsh -c 'echo loose'" >"$test_root/out" \
    2>/dev/null </dev/null
is "$?" 126 'not from under a profile of its own'
is "$(cat "$test_root/out")" '' 'it does not run'
for command in "$aegsh; echo x" "$aegsh \$HOME" "X=1 $aegsh" "$aegsh >x"; do
	"$aegsh" -c "$command" >/dev/null 2>&1 </dev/null
	[ -n "$("$aegshctl" history --json | grep -F "$(basename "$aegsh")")" ]
	ok $? "judged as the line it is: $command"
done
done_testing
