package io.polder.lab.experiments.cache;

/**
 * Opens caches of one kind. A provider of this service is found by its {@link #id}, in Polder's lab
 * or among the contenders that are downloaded.
 */
public interface CacheMaker {
    /** That of the contender. */
    String id();

    /**
     * Opens an empty cache.
     *
     * @throws Exception if it cannot be opened, of whatever kind
     */
    CacheUnderTest open(Room room) throws Exception;

    /**
     * How much a cache may hold. Most caches want one of these figures; some have to be told all.
     *
     * @param bytes of its entries, as the cache counts them
     * @param entries at most at one time
     * @param valueBytes of a value, in the middle
     * @param valueBytesMax of the largest value
     */
    record Room(long bytes, long entries, int valueBytes, int valueBytesMax) {}
}
