package io.polder.lab.experiments.pages;

import io.polder.memory.MemoryProvider;
import io.polder.memory.Providers;
import io.polder.tools.html.Term;

/**
 * Whose pages a heap runs on, and whether a medium page may be smaller than 32 MiB where no such
 * run is contiguous.
 */
enum Contender {
    /** The library as it is. */
    POLDER("polder", ObjectKind.MEDIUM.pageBytesMin()),
    /** The library, and nothing is assembled ahead. */
    NO_DEFRAGMENTER("no-balancer", ObjectKind.MEDIUM.pageBytesMin()),
    /** The library, asked for 32 MiB and nothing less. */
    POLDER_32M("polder-32m", ObjectKind.MEDIUM.pageBytesMax()),
    /** The same, and nothing is assembled ahead: the thread that takes a page assembles it. */
    NO_DEFRAGMENTER_32M("no-balancer-32m", ObjectKind.MEDIUM.pageBytesMax()),
    /** The same, on memory that moves as ZGC's does: {@link MemfdProvider}. */
    UNMAP_MAP("unmap-map", ObjectKind.MEDIUM.pageBytesMax()),
    /** The library where memory cannot move: {@link NoRemapProvider}. */
    NO_REMAP("no-remap", ObjectKind.MEDIUM.pageBytesMax()),
    /** {@link TypedPages}. */
    TYPED("typed", ObjectKind.MEDIUM.pageBytesMax());

    private final String id;
    private final long mediumBytesMin;

    Contender(String id, long mediumBytesMin) {
        this.id = id;
        this.mediumBytesMin = mediumBytesMin;
    }

    /** Name in metrics, tables and names of files. */
    String id() {
        return id;
    }

    /** What it is, for people. */
    Term term() {
        return new Term(
                id,
                switch (this) {
                    case POLDER ->
                            "The library as it is: a medium page may be smaller than 32 MiB where"
                                    + " no such run is contiguous.";
                    case NO_DEFRAGMENTER -> "The library, and nothing is assembled ahead.";
                    case POLDER_32M -> "The library, asked for 32 MiB and nothing less.";
                    case NO_DEFRAGMENTER_32M ->
                            "Asked for 32 MiB and nothing less, and nothing is assembled ahead: a"
                                    + " thread that takes a page assembles it.";
                    case UNMAP_MAP ->
                            "no-balancer-32m on memory that moves as ZGC’s does: it is unmapped and"
                                    + " mapped elsewhere.";
                    case NO_REMAP ->
                            "The library with 32 MiB where memory cannot be moved: it takes new"
                                    + " addresses, and gives old memory back.";
                    case TYPED ->
                            "A model of ZGC’s cache of 2018: a list for each type of page, which"
                                    + " flushes pages of other types.";
                });
    }

    /** The smallest page for objects of a kind that is asked of it. */
    long pageBytesMin(ObjectKind kind) {
        return kind == ObjectKind.MEDIUM ? mediumBytesMin : kind.pageBytesMin();
    }

    /**
     * Its pages, in this process.
     *
     * @param bytesMax how much there may be
     */
    PageSource open(long bytesMax) {
        MemoryProvider provider = Providers.choose().provider();
        return switch (this) {
            case POLDER, POLDER_32M -> new PolderPages(provider, bytesMax, true, () -> {});
            case NO_DEFRAGMENTER, NO_DEFRAGMENTER_32M ->
                    new PolderPages(provider, bytesMax, false, () -> {});
            case UNMAP_MAP -> {
                MemfdProvider memfd = new MemfdProvider(provider);
                yield new PolderPages(memfd, bytesMax, false, memfd::close);
            }
            case NO_REMAP ->
                    new PolderPages(new NoRemapProvider(provider), bytesMax, true, () -> {});
            case TYPED -> new TypedPages(bytesMax);
        };
    }
}
