# test/plain/programs.mk
#		Builds programs that need no server, with the pure sources of src: those
#		that include base/pure.h.  They are compiled once for all programs.
#
#	make -j2 -k -f test/plain/programs.mk OUT=DIRECTORY PROGRAMS="test/unit/test_gdid ..."
#
# Run in the tree's top directory.  The programs come into OUT, by the last part of
# their names.  EXTRA names objects that each of them needs, FLAGS the optimization
# and the sanitizers, PG_CONFIG the installation whose headers and libraries are used.

CC = gcc
PG_CONFIG = pg_config
SERVER_HEADERS := $(shell $(PG_CONFIG) --includedir-server)
LIBRARIES := $(shell $(PG_CONFIG) --pkglibdir)

# Where wide.h needs _BitInt: gcc 14 miscompiles it under this sanitizer, and does not
# have it for all processors.  PostgreSQL's packages bring a clang, which does.
ifeq ($(shell $(CC) -dM -E -x c /dev/null | grep -c __SIZEOF_INT128__),0)
override FLAGS += -fno-sanitize=signed-integer-overflow
ifneq ($(shell echo '_BitInt(128) i;' | $(CC) -fsyntax-only -x c - 2>&1),)
CC := $(shell sed -n 's/^CLANG *= *//p' $(dir $(shell $(PG_CONFIG) --pgxs))../Makefile.global)
# The server was configured by gcc, whose attribute for printf() it names
override FLAGS += -Wno-ignored-attributes
endif
endif

COMPILE = $(CC) -std=gnu11 -Wall -Wextra -Werror $(FLAGS) -DFRONTEND -Isrc -isystem $(SERVER_HEADERS)

PURE := $(shell grep -l '^\#include "base/pure.h"' src/*/*.c)
OBJECTS = $(PURE:%.c=$(OUT)/%.o) $(EXTRA:%=$(OUT)/%.o)

all: $(addprefix $(OUT)/,$(notdir $(PROGRAMS)))

$(OBJECTS): $(OUT)/%.o: %.c
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

vpath %.c $(sort $(dir $(PROGRAMS)))

$(OUT)/%: %.c $(OBJECTS)
	$(COMPILE) -o $@ $< $(OBJECTS) -L$(LIBRARIES) -lpgcommon -lpgport -lm
