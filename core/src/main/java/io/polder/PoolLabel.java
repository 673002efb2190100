package io.polder;

import io.polder.event.Printable;

/**
 * How people are told which pool is meant: by its name, and its number where a pool of that name
 * was opened before, or the name itself ends as with a number. No two pools have the same label.
 */
final class PoolLabel {
    private PoolLabel() {}

    /** May be printed. */
    static String of(String name, int number) {
        boolean plain = number == 1 && !name.matches("(?s).* #[0-9]+");
        return Printable.of(name) + (plain ? "" : " #" + number);
    }
}
