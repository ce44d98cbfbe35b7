/* SPDX-License-Identifier: ISC */
/*
 * The note by which auto-shebang programs know each other.  Written in
 * assembler because only that can give the section its type; a loaded note
 * survives strip(1).
 */
#include "aegsh/shebang.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

__asm__(".pushsection .note.auto_shebang,\"a\",%note\n"
	".balign 4\n"
	".long 2f - 1f\n"		/* bytes of the name */
	".long 4f - 3f\n"		/* bytes of the description */
	".long " TEXT(SHEBANG_NOTE_TYPE) "\n"
	"1: .asciz \"" SHEBANG_NOTE_NAME "\"\n"
	"2: .balign 4\n"
	"3: .long 1\n"			/* layout of this description */
	"4: .balign 4\n"
	".popsection\n");
