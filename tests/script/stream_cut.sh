#!/bin/sh
# SPDX-License-Identifier: ISC
# A long function on standard input: cut out at the cost of its length, and
# what stands behind it is left to the commands.
. "$abs_top_srcdir/tests/lib/home.sh"
cd "$HOME" || exit 99

# script LINES: a function of so many lines, a call, and input for cat.
script() {
	printf 'f() {\n'
	i=0
	while [ "$i" -lt "$1" ]; do
		printf 'echo "${x}" %d; { true; }\n' "$i"
		i=$((i + 1))
	done
	printf '}\nf | tail -n 1\ncat\nleft } for cat\n'
}

script 1000 >few
script 8000 >many
out=$("$aegsh" <many 2>&1)
is "$out" ' 7999
left } for cat' 'a function of 8000 lines is one unit, and what follows is not'
out=$(cat few | "$aegsh" 2>&1)
is "$out" ' 999
left } for cat' 'the same through a pipe'

# Seconds of the processor, in hundredths, for a function that is not run.
cost() {
	grep -v '^f |' "$1" >only
	/usr/bin/python3 -c 'import resource, subprocess, sys
subprocess.run([sys.argv[1]], stdin=open("only"), stdout=subprocess.DEVNULL)
print(int(100 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime))' \
	    "$aegsh"
}
few=$(cost few)
many=$(cost many)
echo "# 1000 lines: $few, 8000 lines: $many hundredths of a second"
[ "$many" -le $((24 * (few + 2))) ]
is $? 0 'eight times the lines are not sixty-four times the cost'
done_testing
