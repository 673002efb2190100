package io.polder.cache;

/** Why an entry is no more in a cache. */
public enum RemovalCause {
    /** Somebody removed it. */
    EXPLICIT(false),

    /** Its key got another value. */
    REPLACED(false),

    /** It has expired. */
    EXPIRED(true),

    /** There was no room for it: the cache was full, or others of its pool wanted memory. */
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
