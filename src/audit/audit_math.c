/* SPDX-License-Identifier: ISC */
/*
 * No mathematics in SQL.  An sqlite from an archive refers to the C
 * library's for functions such as sin(), which no statement of a store
 * calls; loading and binding libm for them would make each start of the
 * shell slower by a tenth.  The SQL functions are refused, and what they
 * refer to is here.
 *
 * Not visible outside the program, so that a shared library keeps its own;
 * tests/lint/style.sh sees to it that nothing else of ours calls them.
 */
#include "audit_int.h"

#include "aegsh/base/mem.h"

#define HIDDEN __attribute__((visibility("hidden")))
#define OF_ONE(name) \
	HIDDEN double name(double x); \
	double name(double x) { return 0 * x / (x - x); }
#define OF_TWO(name) \
	HIDDEN double name(double x, double y); \
	double name(double x, double y) { return 0 * x * y / (x - x); }

OF_ONE(acos)
OF_ONE(acosh)
OF_ONE(asin)
OF_ONE(asinh)
OF_ONE(atan)
OF_ONE(atanh)
OF_ONE(ceil)
OF_ONE(cos)
OF_ONE(cosh)
OF_ONE(exp)
OF_ONE(floor)
OF_ONE(log)
OF_ONE(log10)
OF_ONE(log2)
OF_ONE(sin)
OF_ONE(sinh)
OF_ONE(sqrt)
OF_ONE(tan)
OF_ONE(tanh)
OF_ONE(trunc)
OF_TWO(atan2)
OF_TWO(fmod)
OF_TWO(pow)

static int
on_prepare(void *ctx, int what, const char *unused, const char *function,
    const char *db, const char *trigger)
{
	static const char *const refused[] = { "acos", "acosh", "asin",
		"asinh", "atan", "atan2", "atanh", "ceil", "ceiling", "cos",
		"cosh", "degrees", "exp", "floor", "ln", "log", "log10",
		"log2", "mod", "pi", "pow", "power", "radians", "sin",
		"sinh", "sqrt", "tan", "tanh", "trunc" };
	size_t i;

	if (what != SQLITE_FUNCTION || function == NULL)
		return SQLITE_OK;
	for (i = 0; i < AEG_NELEM(refused); i++) {
		if (sqlite3_stricmp(refused[i], function) == 0)
			return SQLITE_DENY;
	}
	return SQLITE_OK;
}

int
audit_math_refuse(sqlite3 *db)
{
	return sqlite3_set_authorizer(db, on_prepare, NULL);
}
