package io.polder.lab.experiments.blocks;

import io.polder.lab.harness.MallocLibrary;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Who hands out blocks.
 *
 * @param library where malloc comes from; null for Polder
 * @param call how malloc is called; Polder is Java
 */
record Contender(@Nullable MallocLibrary library, Call call) {
    /** The one that all others are compared with. */
    static final Contender POLDER = new Contender(null, Call.JAVA);

    /** How a contender is called. */
    enum Call {
        /** By a method. */
        JAVA,
        /** {@link PlainSource}. */
        PLAIN,
        /** {@link CriticalSource}. */
        CRITICAL
    }

    /**
     * Checks that malloc is called, and Polder is not.
     *
     * @throws IllegalArgumentException otherwise
     */
    Contender {
        if ((library == null) != (call == Call.JAVA)) {
            throw new IllegalArgumentException(
                    "malloc is called, Polder is Java: library=" + library + ", call=" + call);
        }
    }

    /** Polder, and malloc of each library in both ways. */
    static List<Contender> timed(List<MallocLibrary> libraries) {
        List<Contender> all = new ArrayList<>(List.of(POLDER));
        for (MallocLibrary library : libraries) {
            all.add(new Contender(library, Call.PLAIN));
            all.add(new Contender(library, Call.CRITICAL));
        }
        return all;
    }

    /** Polder, and malloc of each library: memory does not depend on how it is called. */
    static List<Contender> weighed(List<MallocLibrary> libraries) {
        List<Contender> all = new ArrayList<>(List.of(POLDER));
        libraries.forEach(library -> all.add(new Contender(library, Call.CRITICAL)));
        return all;
    }

    /** Name of Polder or of the library, in metrics and tables. */
    String owner() {
        return library == null ? "polder" : library.id();
    }

    /** Name in messages and files. */
    String id() {
        return library == null ? owner() : owner() + "-" + call.name().toLowerCase(Locale.ROOT);
    }

    /** It, in this process. */
    BlockSource open() {
        MallocLibrary from = library;
        if (from == null) {
            return new PolderSource();
        }
        return call == Call.PLAIN ? new PlainSource(from) : new CriticalSource(from);
    }
}
