package io.polder.agent;

import org.jspecify.annotations.Nullable;

/** Which arenas are pooled: the values of option {@code pool}. */
enum Pooling {
    CONFINED("confined", true, false),
    SHARED("shared", false, true),
    BOTH("both", true, true),
    OFF("off", false, false);

    /** The value that changes nothing. */
    private static final String UNCHANGED = "unchanged";

    private final String word;
    private final boolean confined;
    private final boolean shared;

    Pooling(String word, boolean confined, boolean shared) {
        this.word = word;
        this.confined = confined;
        this.shared = shared;
    }

    boolean confined() {
        return confined;
    }

    boolean shared() {
        return shared;
    }

    /**
     * What a value of the option says.
     *
     * @return null for what is pooled by now
     * @throws OptionException if it says nothing
     */
    static @Nullable Pooling of(String value) {
        if (value.equals(UNCHANGED)) {
            return null;
        }
        for (Pooling pooling : values()) {
            if (pooling.word.equals(value)) {
                return pooling;
            }
        }
        throw new OptionException(
                "pool must be confined, shared, both, off or unchanged: pool=" + value);
    }

    @Override
    public String toString() {
        return word;
    }
}
