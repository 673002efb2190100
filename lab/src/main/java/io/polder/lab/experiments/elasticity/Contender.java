package io.polder.lab.experiments.elasticity;

import io.polder.lab.experiments.elasticity.Contender.Kind;
import io.polder.lab.harness.MallocLibrary;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Who handles the memory of a workload.
 *
 * @param kind how
 * @param library where malloc comes from; null for Polder
 */
record Contender(Kind kind, @Nullable MallocLibrary library) {
    /** Where malloc comes from here; each costs two runs and more of every workload. */
    static final List<MallocLibrary> LIBRARIES =
            List.of(MallocLibrary.GLIBC, MallocLibrary.JEMALLOC, MallocLibrary.MIMALLOC);

    /** The one that all others are compared with. */
    static final Contender POLDER = new Contender(Kind.POLDER, null);

    /** How memory is handled. */
    enum Kind {
        /** An arena for each owner, and the pool is trimmed in the valley and at the end. */
        POLDER(""),
        /** {@link IdealMalloc}: the metrics are about this one. */
        IDEAL(""),
        /** {@link ListedMalloc}. */
        LISTED("-listed"),
        /** {@link AskedMalloc}. */
        ASKED("-asked"),
        /**
         * Memory that is kept once it was had, cycle after cycle: see {@link SteadyRun}. Polder has
         * a long decay, a library is told to keep what is free ({@link MallocLibrary#keeping}).
         */
        STEADY("-steady");

        private final String suffix;

        Kind(String suffix) {
            this.suffix = suffix;
        }
    }

    /** Polder where nothing is given back. */
    static final Contender STEADY_POLDER = new Contender(Kind.STEADY, null);

    /**
     * Checks that malloc has a library.
     *
     * @throws IllegalArgumentException if malloc has none, or Polder has one
     */
    Contender {
        if (kind != Kind.STEADY && (kind == Kind.POLDER) != (library == null)) {
            throw new IllegalArgumentException(
                    "malloc comes from a library, Polder does not: kind="
                            + kind
                            + ", library="
                            + library);
        }
    }

    /** Malloc of a library. */
    static Contender malloc(Kind kind, MallocLibrary library) {
        return new Contender(kind, library);
    }

    /** Polder, and each kind of malloc with each library. */
    static List<Contender> all(Set<MallocLibrary> libraries) {
        List<Contender> all = new ArrayList<>(List.of(POLDER, STEADY_POLDER));
        for (MallocLibrary library : libraries) {
            for (Kind kind : List.of(Kind.IDEAL, Kind.LISTED, Kind.ASKED, Kind.STEADY)) {
                all.add(malloc(kind, library));
            }
        }
        return all;
    }

    /** Name in the table, in messages and in names of files. */
    String id() {
        return (library == null ? "polder" : library.id()) + kind.suffix;
    }

    /** Its memory, in this process. */
    OwnedMemory open(Workload workload, ClassCatalogue catalogue) {
        return switch (kind) {
            case POLDER -> new PolderMemory(workload.loadersEver());
            case IDEAL -> new IdealMalloc(BlockSlots.of(workload, catalogue));
            case STEADY ->
                    library == null
                            ? PolderMemory.keeping(workload.loadersEver())
                            : new IdealMalloc(BlockSlots.of(workload, catalogue));
            case LISTED -> new ListedMalloc(workload.loadersEver());
            case ASKED ->
                    new AskedMalloc(
                            new IdealMalloc(BlockSlots.of(workload, catalogue)),
                            Objects.requireNonNull(library));
        };
    }
}
