package io.polder.tools.scan;

import picocli.CommandLine;

import java.util.Collection;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** What a use of native memory is. Its {@linkplain #label() label} is what users see. */
enum UseKind {
    /** Opens a confined arena. */
    CONFINED,
    /** Opens a shared arena. */
    SHARED,
    /** Opens an arena that the garbage collector closes. */
    AUTO,
    /** Gets the arena that is never closed. */
    GLOBAL,
    /** Opens an arena or a heap on one of Polder's pools. */
    POOLED,
    /** Makes an allocator that hands out a segment slice by slice. */
    SLICING,
    /** Makes an allocator that hands out the same memory each time. */
    PREFIX,
    /** Allocates from an arena or another allocator. */
    ALLOCATE,
    /** Gives a segment another size or lifetime. */
    REINTERPRET,
    /** Manages or accesses memory by address, with {@code Unsafe}. */
    UNSAFE,
    /** Accesses memory by object and offset, with {@code Unsafe}; without an object, by address. */
    UNSAFE_OBJECT;

    /** Arenas that somebody has to close: those that have a {@link Fate}. */
    static final Set<UseKind> CLOSEABLE = EnumSet.of(CONFINED, SHARED, POOLED);

    /** All arenas. */
    static final Set<UseKind> ARENAS = EnumSet.of(CONFINED, SHARED, AUTO, GLOBAL, POOLED);

    /** Whatever memory can be allocated from. */
    static final Set<UseKind> ALLOCATORS =
            EnumSet.of(CONFINED, SHARED, AUTO, GLOBAL, POOLED, SLICING, PREFIX);

    /** The name on the command line, in tables and in JSON. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Several names, as in a sentence. */
    static String labels(Collection<UseKind> kinds) {
        return kinds.stream().sorted().map(UseKind::label).collect(Collectors.joining(", "));
    }

    @Override
    public String toString() {
        return label();
    }

    /** Reads the names on the command line. */
    static final class Converter implements CommandLine.ITypeConverter<UseKind> {
        @Override
        public UseKind convert(String label) {
            return Labels.find(label, values());
        }
    }
}
