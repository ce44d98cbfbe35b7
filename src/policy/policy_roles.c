/* SPDX-License-Identifier: ISC */
/* The words of a role pattern, "read* write", and whom they are for. */
#include "policy_int.h"

#include <string.h>

static const struct {
	const char *word;
	int how;
} roles[] = {
	{ "read", POL_HOW_READ }, { "write", POL_HOW_WRITE },
	{ "delete", POL_HOW_DELETE }, { "change", POL_HOW_CHANGE },
	{ "list", POL_HOW_LIST }, { "run", POL_HOW_RUN },
	{ "both", POL_HOW_READ | POL_HOW_WRITE },
	{ "move", POL_HOW_READ | POL_HOW_DELETE },
	{ "maybe", POL_HOW_MAYBE }, { "text", 0 },
	{ "from", POL_HOW_READ | POL_HOW_REMOTE },
	{ "to", POL_HOW_WRITE | POL_HOW_REMOTE },
	{ "make", POL_HOW_WRITE | POL_HOW_MADE },
	{ "fetch", POL_HOW_MAYBE | POL_HOW_FETCHED },
};

int
pol_role(const char *word, size_t len)
{
	int repeat = 0;
	size_t i;

	if (len > 0 && word[len - 1] == '*') {
		repeat = POL_HOW_REPEAT;
		len--;
	}
	for (i = 0; i < AEG_NELEM(roles); i++)
		if (strlen(roles[i].word) == len &&
		    memcmp(roles[i].word, word, len) == 0)
			return roles[i].how | repeat;
	return -1;
}

/* Roles for n operands by a pattern such as "text read* write": the words
 * behind the repeated one are counted from the end. */
unsigned
pol_role_at(const char *pattern, size_t index, size_t n)
{
	int parsed[16], role;
	size_t count = 0, repeat = SIZE_MAX, len, tail;
	const char *p = pattern;

	for (; p != NULL && *p != '\0' && count < 16; p += len) {
		p += strspn(p, " ");
		len = strcspn(p, " ");
		if (len == 0)
			break;
		role = pol_role(p, len);
		if (role < 0)
			return POL_HOW_MAYBE;
		if (role & POL_HOW_REPEAT)
			repeat = count;
		parsed[count++] = role & ~POL_HOW_REPEAT;
	}
	if (repeat == SIZE_MAX)
		return index < count ? (unsigned)parsed[index] : POL_HOW_MAYBE;
	tail = count - repeat - 1;
	if (index < repeat)
		return (unsigned)parsed[index];
	if (n - index <= tail)
		return (unsigned)parsed[count - (n - index)];
	return (unsigned)parsed[repeat];
}
