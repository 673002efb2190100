package io.polder.block;

/**
 * Whether the owner is inside, in a cache line of its own: the owner writes it with each call,
 * while other threads that free blocks read the fields of the subclasses.
 */
@SuppressWarnings("unused")
abstract class InsideFlag extends CacheLinePad {
    /**
     * 1 if it is; as {@link BiasedOwner} says. As wide as what is around it: HotSpot puts a smaller
     * field behind these, or in front of all.
     */
    long inside;

    private long apart0, apart1, apart2, apart3, apart4, apart5, apart6, apart7;
}
