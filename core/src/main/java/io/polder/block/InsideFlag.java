package io.polder.block;

/**
 * Whether the owner is inside, in a cache line of its own: the owner writes it with each call,
 * while other threads that free blocks read the fields of the subclasses.
 */
@SuppressWarnings("unused")
abstract class InsideFlag extends CacheLinePad {
    /** 1 if it is; as {@link BiasedOwner} says. */
    int inside;

    private long apart0;
    private long apart1;
    private long apart2;
    private long apart3;
    private long apart4;
    private long apart5;
    private long apart6;
    private long apart7;
}
