package io.polder.tools.attach;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The options that a JVM was started with, as Linux tells them in {@code /proc/PID}: those of the
 * command line and of the environment. What stands in files that these name is not among them.
 *
 * @param words in the order in which the JVM reads them: the last one counts
 */
record JvmOptions(List<String> words) {
    private static final String BEFORE = "JAVA_TOOL_OPTIONS=";
    private static final String OF_LAUNCHER = "JDK_JAVA_OPTIONS=";
    private static final String AFTER = "_JAVA_OPTIONS=";

    /** Those of the launcher whose value may be the next word, as its manual has them. */
    private static final Set<String> OPTIONS_WITH_WORD =
            Set.of(
                    "-cp",
                    "-classpath",
                    "--class-path",
                    "-p",
                    "--module-path",
                    "--upgrade-module-path",
                    "--add-modules",
                    "--add-reads",
                    "--add-exports",
                    "--add-opens",
                    "--limit-modules",
                    "--patch-module",
                    "--enable-native-access",
                    "--source");

    private static final String SIGNS = "+-";

    /** Of a process, by its directory. */
    static JvmOptions of(Path proc) throws IOException {
        List<String> environment = strings(proc.resolve("environ"));
        List<String> words = new ArrayList<>();
        words.addAll(variable(environment, BEFORE));
        words.addAll(variable(environment, OF_LAUNCHER));
        words.addAll(ofJvm(strings(proc.resolve("cmdline"))));
        words.addAll(variable(environment, AFTER));
        return new JvmOptions(words);
    }

    /** File names may be any bytes. */
    private static List<String> strings(Path file) throws IOException {
        return List.of(Files.readString(file, StandardCharsets.ISO_8859_1).split("\0", -1));
    }

    private static List<String> variable(List<String> environment, String start) {
        return environment.stream()
                .filter(line -> line.startsWith(start))
                .flatMap(line -> List.of(line.substring(start.length()).split("\\s+", -1)).stream())
                .toList();
    }

    /** What stands before the main class or the jar: the rest is the program's. */
    private static List<String> ofJvm(List<String> command) {
        int end = 1;
        while (end < command.size()
                && (command.get(end).startsWith("-")
                        || OPTIONS_WITH_WORD.contains(command.get(end - 1)))) {
            end++;
        }
        return command.subList(0, Math.min(end, command.size()));
    }

    /** Whether an option such as {@code -XX:+UsePerfData} is given, and its opposite not later. */
    boolean have(String option) {
        int sign = option.indexOf(':') + 1;
        char opposite = SIGNS.charAt(1 - SIGNS.indexOf(option.charAt(sign)));
        String other = option.substring(0, sign) + opposite + option.substring(sign + 1);
        return words.lastIndexOf(option) > words.lastIndexOf(other);
    }
}
