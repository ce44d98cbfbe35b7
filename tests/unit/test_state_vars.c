/* SPDX-License-Identifier: ISC */
/* The sorted table of variables. */
#include "state/state_int.h"

#include "aegsh/base/mem.h"
#include "tap.h"

/* By name, and "=" ends a name. */
static bool
before(const char *a, const char *b)
{
	while (*a == *b && *a != '=') {
		a++;
		b++;
	}
	return *a != *b && (*a == '=' || (*b != '=' && *a < *b));
}

static bool
in_order(const struct vars *t)
{
	size_t i, bytes = 0;
	bool good = true;

	for (i = 0; i < t->n; i++) {
		bytes += strlen(t->v[i]) + 1;
		good &= i == 0 || before(t->v[i - 1], t->v[i]);
	}
	return good && bytes == t->bytes;
}

static void
test_prefixes(void)
{
	/* Names of which one begins another, and bytes below and above '='. */
	static const char *const names[] = { "AB", "A", "ABC", "A1", "A_",
		"a", "_", "AA", "B" };
	struct vars t = { 0 };
	size_t i;

	for (i = 0; i < AEG_NELEM(names); i++)
		vars_set(&t, names[i], names[i]);
	IS_INT((intmax_t)t.n, (intmax_t)AEG_NELEM(names));
	for (i = 0; i < AEG_NELEM(names); i++)
		IS_STR(vars_get(&t, names[i]), names[i]);
	OK(vars_get(&t, "") == NULL);
	OK(vars_get(&t, "ABCD") == NULL);
	OK(vars_get(&t, "A=") == NULL);
	vars_set(&t, "A", "");
	IS_STR(vars_get(&t, "A"), "");
	vars_set(&t, "A", "x=y");
	IS_STR(vars_get(&t, "A"), "x=y");
	IS_STR(vars_get(&t, "AB"), "AB");
	vars_unset(&t, "A");
	vars_unset(&t, "nosuch");
	OK(vars_get(&t, "A") == NULL);
	IS_STR(vars_get(&t, "AA"), "AA");
	IS_INT((intmax_t)t.n, (intmax_t)AEG_NELEM(names) - 1);
	vars_done(&t);
	OK(t.n == 0 && t.v == NULL && t.bytes == 0);
}

static void
test_many(void)
{
	struct vars t = { 0 };
	char name[32];
	size_t i, bad = 0;

	for (i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "V%zu", i * 7919 % 3000);
		vars_set(&t, name, name + 1);
	}
	OKF(t.n == 3000 && in_order(&t), "3000 in any order are in order");
	for (i = 0; i < 3000; i += 2) {
		snprintf(name, sizeof(name), "V%zu", i);
		vars_unset(&t, name);
	}
	OKF(t.n == 1500 && in_order(&t), "half of them taken out");
	for (i = 0; i < 3000; i++) {
		const char *value;

		snprintf(name, sizeof(name), "V%zu", i);
		value = vars_get(&t, name);
		if (i % 2 == 0)
			bad += value != NULL;
		else
			bad += value == NULL || strcmp(value, name + 1) != 0;
	}
	OKF(bad == 0, "the right half");
	vars_done(&t);
}

int
main(void)
{
	test_prefixes();
	test_many();
	return tap_done();
}
