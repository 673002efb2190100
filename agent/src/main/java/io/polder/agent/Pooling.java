package io.polder.agent;

/** Which arenas are pooled: the values of option {@code pool}. */
enum Pooling {
    CONFINED("confined", true, false),
    SHARED("shared", false, true),
    BOTH("both", true, true),
    OFF("off", false, false);

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

    static Pooling of(String value) {
        for (Pooling pooling : values()) {
            if (pooling.word.equals(value)) {
                return pooling;
            }
        }
        throw new OptionException("pool must be confined, shared, both or off: pool=" + value);
    }

    @Override
    public String toString() {
        return word;
    }
}
