package io.polder.cache;

/** Why an entry is no more in a cache. */
public enum RemovalCause {
    /** Somebody removed it. */
    EXPLICIT(false),

    /** Its key got another value. */
    REPLACED(false),

    /** It has expired. */
    EXPIRED(true),

    /**
     * There was no room for it: the cache was full, others of its pool wanted memory, or the system
     * was short of it.
     */
    SIZE(true);

    private final boolean evicted;

    RemovalCause(boolean evicted) {
        this.evicted = evicted;
    }

    /** Whether the cache removed it by itself. */
    public boolean wasEvicted() {
        return evicted;
    }
}
