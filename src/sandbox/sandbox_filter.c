/* SPDX-License-Identifier: ISC */
/* The filters that the build made, found by what decides their rows. */
#include "sandbox_int.h"

#include <linux/filter.h>

/* No addresses: each start would have to write them. */
struct made {
	unsigned first;		/* of its instructions, in programs[] */
	unsigned short len;	/* 0: none was made */
};

#include "filters.h"

bool
sandbox_filter_find(const struct sandbox_profile *p, int abi,
    const struct sock_filter **ret, unsigned short *ret_len)
{
	unsigned key = sandbox_filter_key(p, abi);
	const struct made *m;

	if (key >= SANDBOX_FILTER_KEYS)
		return false;
	m = &filters[key];
	if (m->len == 0)
		return false;
	*ret = programs + m->first;
	*ret_len = m->len;
	return true;
}
