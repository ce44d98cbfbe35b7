/* SPDX-License-Identifier: ISC */
/* The tree of RFC 6962 over links, one leaf after the other: of the leaves
 * so far, the roots of the full trees, one for each bit of their number. */
#include "audit_chain_int.h"

#include <string.h>

void
audit_tree_leaf(const unsigned char link[AUDIT_SHA256_LEN],
    unsigned char ret[AUDIT_SHA256_LEN])
{
	unsigned char bytes[1 + AUDIT_SHA256_LEN] = { 0 };

	memcpy(bytes + 1, link, AUDIT_SHA256_LEN);
	audit_sha256(bytes, sizeof bytes, ret);
}

void
audit_tree_join(const unsigned char left[AUDIT_SHA256_LEN],
    const unsigned char right[AUDIT_SHA256_LEN],
    unsigned char ret[AUDIT_SHA256_LEN])
{
	unsigned char bytes[1 + 2 * AUDIT_SHA256_LEN] = { 1 };

	memcpy(bytes + 1, left, AUDIT_SHA256_LEN);
	memcpy(bytes + 1 + AUDIT_SHA256_LEN, right, AUDIT_SHA256_LEN);
	audit_sha256(bytes, sizeof bytes, ret);
}

void
audit_tree_add(struct audit_tree *t,
    const unsigned char link[AUDIT_SHA256_LEN])
{
	unsigned char node[AUDIT_SHA256_LEN];
	uint64_t n = t->n++;
	int level = 0;

	audit_tree_leaf(link, node);
	for (; (n & 1) != 0; n >>= 1, level++)
		audit_tree_join(t->nodes[level], node, node);
	memcpy(t->nodes[level], node, sizeof node);
}

void
audit_tree_root(const struct audit_tree *t,
    unsigned char ret[AUDIT_SHA256_LEN])
{
	bool any = false;
	int level;

	if (t->n == 0)
		audit_sha256("", 0, ret);
	for (level = 0; level < AUDIT_TREE_MAX; level++) {
		if ((t->n >> level & 1) == 0)
			continue;
		if (any)
			audit_tree_join(t->nodes[level], ret, ret);
		else
			memcpy(ret, t->nodes[level], AUDIT_SHA256_LEN);
		any = true;
	}
}
