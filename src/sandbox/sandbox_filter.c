/* SPDX-License-Identifier: ISC */
/* The filters that the build made, found by what decides their rows. */
#include "sandbox_int.h"

#include <linux/filter.h>

struct made {
	const struct sock_filter *filter;
	unsigned short len;
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
	if (m->filter == NULL)
		return false;
	*ret = m->filter;
	*ret_len = m->len;
	return true;
}
