package io.polder;

import io.polder.event.Printable;

import java.util.regex.Pattern;

/**
 * How people are told which pool is meant: by its name, and its number where a pool of that name
 * was opened before, or the name itself ends as with a number. No two pools have the same label.
 */
final class PoolLabel {
    private static final Pattern NUMBERED = Pattern.compile(".* #[0-9]+", Pattern.DOTALL);

    private PoolLabel() {}

    /** May be printed. */
    static String of(String name, int number) {
        boolean plain = number == 1 && !NUMBERED.matcher(name).matches();
        return Printable.of(name) + (plain ? "" : " #" + number);
    }
}
