#!/bin/sh
# SPDX-License-Identifier: ISC
# aegshctl about lines and rules: parse, test, lists, policy, profiles,
# sandboxes.  Over the shipped policy; nothing that is asked about runs.
. "$abs_top_srcdir/tests/lib/home.sh"
cd "$HOME" || exit 99
PATH=/usr/bin:/bin
export PATH

run() {
	out=$("$aegshctl" "$@" 2>"$test_root/err")
	status=$?
	err=$(cat "$test_root/err")
}
json() {
	"$aegshctl" "$@" | "$PYTHON3" -c "
import json, sys
d = [json.loads(line) for line in sys.stdin]
j = d[0]
print($expr)"
}

run parse 'ls -l "$HOME" | wc >out'
is "$status" 0 'parse: a line'
like "$out" '*command*word "ls"*' 'the tree'
like "$out" '*runs *file: *ls*runs *file: *wc*' 'what would run'
like "$out" '*redirects 1 > out*' 'redirections'
like "$out" '*part 2 of 2 of a pipeline*' 'where a command stands'
run parse 'if true; then'
is "$status" 1 'parse: not complete: 1'
like "$out" 'line 1*incomplete*' 'and what is open'
run parse 'echo )'
is "$status" 1 'parse: wrong: 1'
like "$out" 'line 1, column 6: syntax error*' 'and where'
run parse -- '-x y'
is "$status" 0 'a line that begins with a dash'
like "$out" '*not-found: -x*' 'is a command'
run parse
is "$status" 100 'no line: 100'
run parse a b
is "$status" 100 'two lines: 100'
printf 'f() { date; }\nf\n' >script
run parse --file script
is "$status" 0 'parse --file'
like "$out" '*defines *f*' 'functions'
out=$("$aegshctl" parse --file - <script)
like "$out" '*defines *f*' 'standard input'
run parse --file none
is "$status" 111 'a file that is not there: 111'
expr='j["answer"], [c["words"][0]["value"] for c in j["facts"]["commands"]], j["facts"]["runs"][1]["path"], j["facts"]["reads"]'
is "$(json parse --json 'cd "$HOME"; /bin/echo $(date)')" \
    "tree ['cd', '/bin/echo', 'date'] $(readlink -f /bin/echo) ['HOME']" 'parse --json'
expr='j["answer"], j["line"], j["column"]'
is "$(json parse --json 'a
b; fi')" 'error 2 4' 'of what is wrong'
run parse 'ls; PATH=/opt/x:/opt/y; cd sub; ls; "$x"'
like "$out" '*found by PATH as it is*found by PATH=/opt/x:/opt/y*' \
    'by which PATH a name is found'
like "$out" '*found from the directory sub*' 'and from where'
run parse 'f() { :; }; f; hash -p /x ls; ls; cd "$x"; ./a'
like "$out" '*found as a function*found by what nobody knows*' \
    'a function; a name that was moved'
like "$out" '*found from a directory that is not known*' 'an unknown directory'
run parse 'if a; then PATH=/x; fi; ls'
like "$out" '*found by a PATH that nobody knows*' 'one of several PATHs'
expr='[(c["lookup"]["by"], c["lookup"]["path"], c["lookup"]["directory"], c["lookup"]["cwd"], c["lookup"]["function"]) for c in j["facts"]["commands"] if c["lookup"]]'
is "$(json parse --json 'PATH=/x; cd /y; ls')" \
    "[('path', '/x', 'start', None, 'no'), ('path', '/x', 'at', '/y', 'no')]" \
    'the same in JSON'
expr='[(c["inside"], c["in_function"]) for c in j["facts"]["commands"]]'
is "$(json parse --json 'f() { a "$(b)"; }')" \
    "[(None, 'f'), (0, 'f'), (1, 'f')]" 'what holds a command'
expr='[(c["language"], c["value"], j["facts"]["runs"][c["by"]]["name"]) for c in j["facts"]["code"]]'
is "$(json parse --json 'ls; npx http://h/x; awk 1')" \
    "[('package', 'http://h/x', 'npx'), ('awk', '1', 'awk')]" 'code and whose'
run parse "$(printf 'PATH="a\nruns      builtin: true"; ls')"
ok "$(printf '%s\n' "$out" | grep -c '^runs      builtin')" \
    'no value begins a line of its own'
run parse "$(printf 'echo \033[2J\233')"
is "$(printf %s "$out" | LC_ALL=C tr -d '\n -~' | wc -c | tr -d ' ')" 0 \
    'parse: hostile bytes are harmless'
run parse "\$(touch '$test_root/ran')\`touch '$test_root/ran'\`"
run test "touch '$test_root/ran'; \$(touch '$test_root/ran')"
ok "$([ ! -e "$test_root/ran" ]; echo $?)" 'nothing is run'

run test 'ls -l'
is "$status" 0 'test: what is allowed: 0'
like "$out" 'allow: *rule: *command: ls -l*' 'and why'
run test 'rm -rf /'
is "$status" 2 'test: what is blocked: 2'
like "$out" 'block: *floor.delete-root*' 'and by which rule'
run test 'rm -rf /srv/tree'
is "$status" 1 'test: what is asked about: 1'
run test 'fi'
ok "$((status == 0))" 'test: what cannot be read is not allowed'
run test --profile safe 'make'
ok "$((status == 0))" 'test --profile: a stricter one'
like "$out" '*profile: safe*' 'is the one that judged'
run test --profile nonsense ls
is "$status" 100 'test --profile: one that is not there: 100'
run test --explain 'cat /etc/shadow'
like "$out" '*runs *cat*facts: path /etc/shadow read*verdict: *' '--explain'
expr='j["decision"], j["rule"], j["source"], j["model_would_be_asked"]'
is "$(json test --json 'rm -rf /')" 'block floor.delete-root policy False' \
    'test --json'
expr='"facts" in j, "verdict" in j["explanation"]'
is "$(json test --json --explain 'ls')" 'True True' 'with the explanation'
operator 'endpoint = http://127.0.0.1:1/'
run test 'frobnicate the-thing'
is "$status" 1 'test: what a model would be asked about: 1'
like "$out" 'model: *' 'and that is said'
operator '#'

run allowlist
is "$status" 0 'allowlist'
like "$out" 'RULE *allow.*' 'has rules'
run blocklist
like "$out" 'RULE *floor.*' 'so has blocklist'
expr='len(d) > 10 and all(r["rule"] and r["reason"] for r in d)'
is "$(json blocklist --json)" True 'blocklist --json'
run policy check "$abs_top_srcdir"/share/policy/*.conf
is "$status" 0 'policy check: the shipped files are good'
printf 'rule "x.y" {\n\tdecision = alow\n}\n' >bad.conf
run policy check bad.conf
is "$status" 1 'policy check: a bad one: 1'
like "$err" "*bad.conf:[0-9]*" 'with file and line'
expr='j["good"], j["problem"] is None'
is "$(json policy check --json bad.conf)" 'False False' 'policy check --json'
run policy check
is "$status" 100 'policy check: no file: 100'

run profile list
like "$out" '*safe*dev*admin*configured*' 'profile list'
expr='[p["profile"] for p in d if p["configured"]]'
is "$(json profile list --json)" "['admin']" 'profile list --json'
run profile show dev
like "$out" 'profile *dev*sandbox *rank *elevate *no*' 'profile show'
for line in ls pwd 'echo x'; do
	run test --profile dev "$line"
	like "$out" '*not on the list of the profile dev*not-listed*aegshctl allowlist*' \
	    "dev: $line is not on its list"
done
mkdir -p "$test_root/etc/policy.d"
printf 'rule "site.dev-looks" {\n\tdecision = allow\n\tset = "seed-allow"\n\treason = "shows"\n\tcommand = { ls, pwd, echo }\n}\n' \
    >"$test_root/etc/policy.d/50-dev.conf"
for line in ls pwd 'echo x'; do
	run test --profile dev "$line"
	is "$status" 0 "until it is added: $line"
done
run test --profile dev 'make x'
is "$status" 1 'and nothing else is'
rm "$test_root/etc/policy.d/50-dev.conf"
run test --profile admin 'frobnicate x'
like "$out" '*no rule knows*' 'admin has no such list'
if [ ! -u /usr/bin/passwd ] || [ ! -u /usr/bin/newgrp ]; then
	skip 'passwd and newgrp gain no rights here'
elif [ "$(id -u)" = 0 ]; then
	run test --profile admin /usr/bin/passwd
	is "$status" 1 'root needs no rights of passwd'
	run test --profile admin '/usr/bin/newgrp users'
	like "$out" '*rights of another group would start*' 'newgrp: why'
else
	run test --profile admin /usr/bin/passwd
	is "$status" 2 'passwd gains no rights inside a line: 2'
	like "$out" '*it works by rights of its file*(elevate = no)*ask who runs*' \
	    'and that is the reason'
	run test --profile admin '/usr/bin/passwd -S'
	is "$status" 0 'passwd -S needs none'
	run test --profile admin '/usr/bin/newgrp users'
	is "$status" 2 'newgrp gains none either: 2'
	like "$out" '*another group*log in anew*' 'and what to do instead'
	run test --profile admin '/usr/bin/passwd && true'
	is "$status" 1 'in a list, the rules alone judge'
fi
run profile show nonsense
is "$status" 100 'profile show: one that is not there: 100'
words() {
	"$aegshctl" __complete "$@" | cut -f 1 | tr '\n' ' '
}
like "$(words aegsh --profile '')" '*dev *admin *' 'profiles are completed'

run sandbox show
is "$status" 0 'sandbox show: that of the profile'
like "$out" '*requires*' 'and what it needs'
like "$out" "user *(uid $(id -u))*directory *$PWD*by *policy profile admin*" \
    'sandbox show: for whom, where and why'
run sandbox show --user root strict
like "$out" 'user *root (uid 0)*by *its name*' 'sandbox show --user'
like "$out" '*by *its name*' 'which was asked for'
if [ "$(id -u)" = 0 ]; then
	run sandbox show admin
	like "$out" '*for root *admin has root in its place*profile *root*' \
	    'sandbox show: for root another'
else
	run sandbox show --user root admin
	like "$out" '*for root *admin has root in its place*profile *root*' \
	    'sandbox show: for root another'
fi
run status
if [ "$(id -u)" = 0 ]; then
	like "$out" '*sandbox*profile *admin*enforced *root*' \
	    'status: what is enforced for root'
else
	like "$out" '*sandbox*profile *admin*enforced *admin*' \
	    'status: what is enforced'
fi
run sandbox show --user no-such-user
is "$status" 100 'sandbox show: nobody'
run sandbox show strict
like "$out" '*profile *strict*' 'sandbox show: another'
run sandbox show nonsense
is "$status" 100 'sandbox show: one that is not there: 100'
expr='j["profile"], len(j["rules"]) > 3'
is "$(json sandbox show --json strict)" 'strict True' 'sandbox show --json'
run sandbox probe
like "$out" 'landlock *ABI *seccomp *' 'sandbox probe'
expr='(j["landlock_abi"] > 0) == ("landlock" in j["layers"])'
is "$(json sandbox probe --json)" True 'sandbox probe --json'

run status
like "$out" '*policy*hash *sandbox*had here*required*' \
    'status: policy and sandbox'
done_testing
