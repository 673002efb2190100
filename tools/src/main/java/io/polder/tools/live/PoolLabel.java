package io.polder.tools.live;

import io.polder.tools.terminal.Printable;

import java.util.regex.Pattern;

/** How people are told which pool is meant; as the library's own reports say it. */
final class PoolLabel {
    private static final Pattern NUMBERED = Pattern.compile(".* #[0-9]+", Pattern.DOTALL);

    private PoolLabel() {}

    /** The name, and the number where it is needed; no two pools have the same. May be printed. */
    static String of(String name, long number) {
        boolean plain = number == 1 && !NUMBERED.matcher(name).matches();
        return Printable.of(name) + (plain ? "" : " #" + number);
    }
}
