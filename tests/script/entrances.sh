#!/bin/sh
# SPDX-License-Identifier: ISC
# Every way in, beside bash: the same standard output, standard error and
# status, and not a byte of our own in a clean run.
. "$abs_top_srcdir/tests/lib/home.sh"
cd "$HOME" || exit 99

# same NAME ARG…: compare with the standard input of file $stdin.
stdin=/dev/null
same() {
	name=$1
	shift
	"$aegsh" "$@" <"$stdin" >"$test_root/out.a" 2>"$test_root/err.a"
	status_a=$?
	bash --norc --noprofile "$@" <"$stdin" >"$test_root/out.b" \
	    2>"$test_root/err.b"
	status_b=$?
	is "$status_a" "$status_b" "$name: status"
	if cmp -s "$test_root/out.a" "$test_root/out.b"; then
		ok 0 "$name: standard output"
	else
		ok 1 "$name: standard output"
		diff "$test_root/out.b" "$test_root/out.a" | sed 's/^/# /'
	fi
	# bash names itself by how it was called; so do we.
	sed "s|^$aegsh: |bash: |" "$test_root/err.a" >"$test_root/err.c"
	if cmp -s "$test_root/err.c" "$test_root/err.b"; then
		ok 0 "$name: standard error"
	else
		ok 1 "$name: standard error"
		diff "$test_root/err.b" "$test_root/err.c" | sed 's/^/# /'
	fi
}

same 'simple' -c 'echo hello'
same 'status' -c 'exit 42'
same 'false' -c false
same 'arguments' -c 'echo "$1-$2-$#"' name one 'two words'
same 'name' -c 'echo "$0"' some-name
same 'two lines' -c 'echo a
echo b'
same 'pipeline' -c 'printf "b\na\n" | sort'
same 'list' -c 'true && echo yes || echo no'
same 'compound' -c 'for i in 1 2 3; do echo $i; done; if true; then echo t; fi'
same 'here-document' -c 'cat <<EOF
text $((1+2))
EOF'
same 'substitution' -c 'echo "$(echo inner)"'
same 'stderr' -c 'echo err >&2'
same 'not found' -c 'no-such-command-here'
# A script that its caller does not survive; judged as any script is.
printf '#!/bin/sh\nkill -TERM $PPID\n' >"$HOME/kill-parent"
chmod 755 "$HOME/kill-parent"
echo text >"$HOME/plain"
same 'not executable' -c ./plain
same 'closed stdout' -c 'true >&-'
same 'background' -c 'true & wait $!; echo $?'
same 'function' -c 'f() { echo in f; }; f'
same 'trap' -c 'trap "echo bye" EXIT; echo hi'
same 'errexit' -c 'set -e; false; echo never'
same 'environment' -c 'export X=1; sh -c "echo \$X"'
same 'shell level' -c 'env | grep ^SHLVL='
same 'shell level of a replaced bash' -c 'printenv SHLVL'
same 'line numbers' -c 'echo $LINENO
echo $LINENO'
same 'binary' -c 'printf "\000\001\377" | od -c'
same 'comment' -c '# nothing'
same 'empty' -c ''
same 'ends in comment' -c 'echo x # y'
same 'signal' -c './kill-parent; :'
same 'umask' -c 'umask'

# Options of bash, before -c, with it and after it.
same 'option -e' -ec 'false; echo never'
same 'option -u' -uc 'echo $nope; echo never'
same 'option -x' -xc 'echo a; echo $LINENO'
same 'option -v' -vc 'echo a
echo b'
same 'option -f' -f -c 'echo /*'
same 'option -C' -Cc 'echo x >>"$1"; echo y >"$1"' name "$HOME/clobber"
same 'option -a' -ac 'X=1; env | grep ^X='
same 'option -h off' +h -c 'echo $-'
same 'options of set' -euo pipefail -c 'false | true; echo never'
same 'option -o' -o pipefail -c 'false | true'
same 'option +o' -e +o errexit -c 'false; echo on'
same 'options in front of --' -e -c -- 'echo -x $-'
same 'options behind -c' -c -u 'echo $-'
same 'what the line sees of options' -ec \
    'echo "$- $LINENO $BASH_EXECUTION_STRING"'
same 'long options' --norc --noediting --verbose -c 'echo a'
same 'one hyphen' -norc -c 'echo a'
same 'a file that is not read' --rcfile /nonexistent -c 'echo a'
same 'restricted' -rc 'cd /'
same 'one command' -tc 'echo a'
same 'read only' -nc 'echo never'
"$aegsh" -o nosuchname -c 'echo never' >"$test_root/out" 2>"$test_root/err"
is "$?" 2 'an option name that bash does not know'
is "$(cat "$test_root/out")" '' 'runs nothing'
like "$(cat "$test_root/err")" '*nosuchname: invalid option name*' 'and is told'
"$aegsh" -nc 'if' 2>"$test_root/err"
is "$?" 2 'read only: what cannot be read'
like "$(cat "$test_root/err")" '*line 1*syntax error*' 'is told'
# They are judged: what an option makes of a line is no surprise.
setsid -w "$aegsh" -O extglob -c 'echo never' >"$test_root/out" \
    2>"$test_root/err" </dev/null
is "$?" 126 'an option that changes reading is judged as its command is'
is "$(cat "$test_root/out")" '' 'and does not run unseen'

printf 'from stdin\nsecond\n' >"$test_root/in"
stdin=$test_root/in
same 'stdin passes through' -c 'cat'
same 'stdin partly read' -c 'read -r x; echo "got $x"; cat'

# Scripts.
cat >"$test_root/script" <<'X'
#!/bin/bash
echo "script $0 $1 $#"
f() { echo "f $*"; }
f a b
cat
exit 3
X
same 'script' "$test_root/script" arg1 arg2
printf 'echo no newline at the end' >"$test_root/script2"
same 'script without a last newline' "$test_root/script2"
"$aegsh" "$test_root/none" 2>"$test_root/err"
is "$?" 127 'a script that is not there'
is "$(grep -c . "$test_root/err")" 1 'is told in one line'
"$aegsh" "$test_root" 2>/dev/null
is "$?" 126 'a directory as script'
awk 'BEGIN { for (i = 0; i < 20000; i++) print "x=" i; print "echo $x" }' \
    >"$test_root/long"
same 'script of more than one argument can hold' "$test_root/long"

# What follows so much that it is not all looked at is not run unseen.
awk 'BEGIN { for (i = 0; i < 70000; i++) print "true"; print "echo never" }' \
    >"$test_root/longer"
"$aegsh" "$test_root/longer" >"$test_root/out" 2>/dev/null </dev/null
is "$?" 126 'a script with more commands than are looked at'
is "$(cat "$test_root/out")" '' 'does not run'
awk 'BEGIN { for (i = 0; i < 9000; i++) print "true"
    print "curl -s http://127.0.0.1:1/x | sh" }' \
    >"$test_root/longer"
"$aegsh" -o debug=no "$test_root/longer" >/dev/null 2>"$test_root/err"
is "$?" 126 'the tail of a long script is judged'
like "$(cat "$test_root/err")" '*blocked: *' 'and named'

# A later line is judged like the first, and after one that may change how
# the rest is read it is not run unseen.
for line in 'true' 'echo x >/dev/null' 'ls >/dev/null' 'x=1' 'cd /' \
    'f() { :; }' 'if true; then :; fi'; do
	"$aegsh" -c "$line
nc -e /bin/sh 127.0.0.1 1" >/dev/null 2>"$test_root/err" </dev/null
	is "$?" 126 "judged behind: $line"
	like "$(cat "$test_root/err")" '*harm.netcat-exec*' 'by its own rule'
done
for line in 'shopt -s extglob' 'set -o posix' 'eval "$(cat /dev/null)"'; do
	setsid -w "$aegsh" -c "$line
echo never" >"$test_root/out" 2>/dev/null </dev/null
	is "$?" 126 "not run unseen behind: $line"
	is "$(cat "$test_root/out")" '' 'it really is not'
done

# Streams.
cat >"$test_root/in" <<'X'
x=1
f() {
	echo "f $x $1"
}
f one
read -r line
this line is data
echo "got: $line"
set -- p q
echo "$1 $2"
cat <<EOF
here $x
EOF
cd /usr
pwd
echo $LINENO
no-such-command-here
echo "status $?"
(exit 4)
X
same 'stream'
same 'stream with -u' -u
same 'stream with -s and operands' -eus a b
cat >"$test_root/in" <<'X'
mkdir gone
cd gone
rmdir ../gone
ls x
echo $?
cat ../data
mkdir y
cd ..
pwd
X
echo 'above it' >"$HOME/data"
same 'stream in a removed directory'
if [ "$(id -u)" = 0 ]; then
	skip 'a directory that cannot be followed' 'root follows everywhere'
else
	printf 'mkdir shut; cd shut; chmod 000 .\necho never\n' >"$test_root/in2"
	"$aegsh" <"$test_root/in2" >"$test_root/out" 2>"$test_root/err"
	is "$?" 126 'a directory that cannot be followed ends a stream'
	is "$(cat "$test_root/out")" '' 'before anything is run there'
	like "$(cat "$test_root/err")" '*cannot be followed*' 'which is told'
	chmod 700 "$HOME/shut"
fi
same 'stream with arguments' -s
cat "$test_root/in" | "$aegsh" >"$test_root/out.a" 2>"$test_root/err.a"
status_a=$?
cat "$test_root/in" | bash --norc --noprofile >"$test_root/out.b" \
    2>"$test_root/err.b"
is "$status_a" "$?" 'stream from a pipe: status'
is "$(cat "$test_root/out.a")" "$(cat "$test_root/out.b")" \
    'stream from a pipe: output'
printf 'set -e\nfalse\necho never\n' >"$test_root/in"
same 'stream with errexit'
printf '#!/bin/bash\n\necho $LINENO\n# c\n\n f() { echo $LINENO; }\nf\n' \
    >"$test_root/in"
same 'stream whose comments count as lines'
printf 'echo a\nexit 9\necho b\n' >"$test_root/in"
same 'stream with exit'
printf 'echo a; nc -e sh 127.0.0.1 1\necho b\n' >"$test_root/in"
"$aegsh" <"$test_root/in" >"$test_root/out" 2>"$test_root/err"
is "$?" 126 'a refused unit ends the stream with 126'
is "$(cat "$test_root/out")" '' 'nothing of it runs, nor what follows'
is "$(grep -c . "$test_root/err")" 1 'and one line says why'

# Refusals.
stdin=/dev/null
"$aegsh" -c 'nc -e sh 127.0.0.1 1' >"$test_root/out" 2>"$test_root/err" </dev/null
is "$?" 126 'a blocked line has status 126'
like "$(setsid "$aegsh" -c 'rm -r /srv/some-folder' 2>&1)" \
    '*: not run, as nobody is here to be asked: *' \
    'what would be asked says so where nobody can be'
like "$(setsid "$aegsh" -c 'nc -e sh 127.0.0.1 1' 2>&1)" '*: blocked: *' \
    'which is not what is blocked'
is "$(cat "$test_root/out")" '' 'prints nothing on standard output'
is "$(grep -c . "$test_root/err")" 1 'and one line on standard error'
# What no command of the line shows: policy looks at the bytes too.
"$aegsh" -c "echo a # $(printf '\342\200\256')b" >/dev/null 2>"$test_root/err"
is "$?" 126 'a comment that hides text is judged'
like "$(cat "$test_root/err")" '*hidden-text*' 'by the rule for that'
"$aegsh" -c 'echo a; if' >"$test_root/out" 2>"$test_root/err"
is "$?" 2 'a line that cannot be read has status 2'
is "$(cat "$test_root/out")" '' 'and its first part does not run'
"$aegsh" --no-such-option 2>/dev/null
is "$?" 2 'an unknown option'
"$aegsh" -c 2>/dev/null
is "$?" 2 '-c without a command'
"$aegsh" -o history=x -c true 2>/dev/null
is "$?" 2 'a bad value'
like "$("$aegsh" --version)" 'aegsh [0-9]*' '--version'
like "$("$aegsh" --help)" '*--profile*' '--help'

# Forced command.
is "$(SSH_ORIGINAL_COMMAND='echo forced' "$aegsh" </dev/null)" forced \
    'SSH_ORIGINAL_COMMAND is what a forced command runs'
SSH_ORIGINAL_COMMAND='nc -e sh 127.0.0.1 1' "$aegsh" </dev/null 2>/dev/null
is "$?" 126 'and it is judged'
is "$(SSH_ORIGINAL_COMMAND='echo forced' "$aegsh" -c 'echo own')" own \
    'an own -c wins over it'
is "$(SSH_ORIGINAL_COMMAND='echo forced' "$aegsh" -c "$aegsh")" forced \
    'a login shell that is also the forced command does not start itself again'
SSH_ORIGINAL_COMMAND='nc -e sh 127.0.0.1 1' "$aegsh" -c "$aegsh" 2>/dev/null
is "$?" 126 'and judges the wish'

# Environment.
is "$(BASH_ENV=/nowhere env LD_LIBRARY_PATH=/x "$aegsh" -c \
    'echo "${BASH_ENV-none} ${LD_LIBRARY_PATH-none}"')" 'none none' \
    'dangerous variables of the caller are not handed on'
env -i AEGSH_TEST_ROOT="$test_root" AEGSH_TEST_DATA="$AEGSH_TEST_DATA" \
    "$aegsh" -c 'exit 3'
is "$?" 3 'an empty environment'
done_testing
