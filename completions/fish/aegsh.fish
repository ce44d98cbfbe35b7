# SPDX-License-Identifier: ISC
# fish completion of aegsh(1): the one of aegshctl(8) knows it.
source (status dirname)/aegshctl.fish
