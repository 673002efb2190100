package io.polder.stress.soak;

import java.nio.file.Path;

/**
 * What a soak is told.
 *
 * @param seconds how long, without what is done between rounds
 * @param leakEvery of what is left for others one in so many is forgotten, 0 for none
 * @param folder where results are written
 */
record SoakOptions(int seconds, int leakEvery, Path folder) {
    /** A round takes a minute; a short soak has as many, and shorter ones. */
    private static final int ROUND_SECONDS_MAX = 60;

    private static final int ROUNDS_MIN = 12;

    /**
     * Reads arguments.
     *
     * @throws IllegalArgumentException if they are not as they should be; says how
     */
    static SoakOptions parse(String... arguments) {
        int seconds = 0;
        int leakEvery = 0;
        Path folder = Path.of("target", "soak");
        if (arguments.length % 2 != 0) {
            throw new IllegalArgumentException("an option has a value");
        }
        for (int i = 0; i < arguments.length; i += 2) {
            String value = arguments[i + 1];
            switch (arguments[i]) {
                case "--seconds" -> seconds = positive(value);
                case "--leak-every" -> leakEvery = positive(value);
                case "--folder" -> folder = Path.of(value);
                default -> throw new IllegalArgumentException("no such option: " + arguments[i]);
            }
        }
        if (seconds == 0) {
            throw new IllegalArgumentException("--seconds says how long");
        }
        return new SoakOptions(seconds, leakEvery, folder);
    }

    private static int positive(String value) {
        int number;
        try {
            number = Integer.parseInt(value);
        } catch (NumberFormatException none) {
            number = 0;
        }
        if (number <= 0) {
            throw new IllegalArgumentException("a number from 1 up: " + value);
        }
        return number;
    }

    int roundSeconds() {
        return Math.clamp(seconds / ROUNDS_MIN, 1, ROUND_SECONDS_MAX);
    }

    int rounds() {
        return Math.max(1, seconds / roundSeconds());
    }
}
