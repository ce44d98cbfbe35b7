/* SPDX-License-Identifier: ISC */
/*
 * Run by the build: writes filters.h, the program of every filter that a
 * profile can ask for, so that no start of the shell has to make one.
 */
#include "sandbox_int.h"

#include <linux/filter.h>
#include <stdio.h>
#include <stdlib.h>

static void
print(unsigned key, const struct sock_filter *f, unsigned short n)
{
	unsigned short i;

	printf("\t/* %u */", key);
	for (i = 0; i < n; i++)
		printf("%s{ 0x%x, %u, %u, 0x%x },", i % 3 == 0 ? "\n\t" : " ",
		    (unsigned)f[i].code, (unsigned)f[i].jt,
		    (unsigned)f[i].jf, (unsigned)f[i].k);
	printf("\n");
}

int
main(void)
{
	unsigned short len[SANDBOX_FILTER_KEYS] = { 0 };
	struct err err = ERR_INIT;
	unsigned key, first = 0;

	printf("/* Made by filter_gen; SPDX-License-Identifier: ISC */\n\n"
	    "#if defined(__%s__)\n\n"
	    "static const struct sock_filter programs[] = {\n",
	    sandbox_seccomp_arch() != NULL ? sandbox_seccomp_arch() : "none");
	for (key = 0; sandbox_seccomp_arch() != NULL &&
	    key < SANDBOX_FILTER_KEYS; key++) {
		struct sandbox_profile p;
		struct sock_filter *f;
		int abi;

		if (!sandbox_filter_profile(key, &p, &abi))
			continue;
		if (sandbox_seccomp_build(&p, abi, &f, &len[key], &err) < 0) {
			fprintf(stderr, "filter_gen: %s\n", err.text);
			return 1;
		}
		print(key, f, len[key]);
		free(f);
	}
	printf("};\n\n"
	    "static const struct made filters[SANDBOX_FILTER_KEYS] = {\n");
	for (key = 0; key < SANDBOX_FILTER_KEYS; key++) {
		if (len[key] > 0)
			printf("\t[%u] = { %u, %u },\n", key, first,
			    (unsigned)len[key]);
		first += len[key];
	}
	printf("};\n\n#else\n\n"
	    "static const struct sock_filter programs[1];\n"
	    "static const struct made filters[SANDBOX_FILTER_KEYS];\n\n"
	    "#endif\n");
	return ferror(stdout) || fflush(stdout) != 0;
}
