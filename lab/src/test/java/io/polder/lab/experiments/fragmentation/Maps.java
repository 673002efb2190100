package io.polder.lab.experiments.fragmentation;

import java.util.stream.Collectors;

/** What a model's map says, without offsets and line ends. */
final class Maps {
    private Maps() {}

    static String letters(String map) {
        return map.lines()
                .filter(line -> !line.startsWith("never used"))
                .map(line -> line.substring(line.lastIndexOf(' ') + 1))
                .collect(Collectors.joining());
    }
}
