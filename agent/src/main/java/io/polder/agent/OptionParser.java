package io.polder.agent;

import io.polder.agent.AgentOptions.CensusOptions;
import io.polder.agent.rewrite.ClassFilter;
import io.polder.agent.rewrite.ClassPattern;

import org.jspecify.annotations.Nullable;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads the options of the agent: {@code key=value} or {@code key}, separated by commas or
 * semicolons. Strictly: what is not understood is an {@link OptionException}.
 */
final class OptionParser {
    private static final List<String> KEYS =
            List.of(
                    "pool",
                    "include",
                    "exclude",
                    "census",
                    "census.json",
                    "census.seconds",
                    "census.sites",
                    "netty",
                    "report",
                    "leaks");

    private static final List<String> LEAKS = List.of("off", "sampled", "all");

    private static final int SECONDS_MAX = 86_400;
    private static final int SITES_MAX = 30_000; // an operand of sipush

    private final Map<String, String> values;

    private OptionParser(Map<String, String> values) {
        this.values = values;
    }

    /**
     * Reads options.
     *
     * @param text as after {@code -javaagent:polder-agent.jar=}; null or empty for none
     * @param unsaid which arenas are pooled if options do not say; null for those that are
     * @throws OptionException if one breaks its rule
     */
    static AgentOptions parse(@Nullable String text, @Nullable Pooling unsaid) {
        Map<String, String> values = new LinkedHashMap<>();
        if (text != null && !text.isEmpty()) {
            for (String option : split(text, ",;")) {
                int equals = option.indexOf('=');
                String key = equals < 0 ? option : option.substring(0, equals);
                if (!KEYS.contains(key)) {
                    throw new OptionException(
                            "unknown option; options are "
                                    + String.join(", ", KEYS)
                                    + ": option="
                                    + option);
                }
                String value = equals < 0 ? "" : option.substring(equals + 1);
                if (equals >= 0 && value.isEmpty()) {
                    throw new OptionException(key + " must have a value after '=': " + option);
                }
                if (values.put(key, value) != null) {
                    throw new OptionException("an option must be there once: option=" + key);
                }
            }
        }
        return new OptionParser(values).options(unsaid);
    }

    private AgentOptions options(@Nullable Pooling unsaid) {
        String pool = values.get("pool");
        CensusOptions census = census();
        Output report = output("report");
        checkApart(
                census == null ? null : census.text(),
                census == null ? null : census.json(),
                report);
        return new AgentOptions(
                pool == null ? unsaid : Pooling.of(pool),
                new ClassFilter(patterns("include"), patterns("exclude")),
                census,
                isOn("netty"),
                report,
                leaks());
    }

    /** What is written to a file takes the place of what was there. */
    static void checkApart(@Nullable Output... outputs) {
        Set<Path> taken = new HashSet<>();
        for (Output output : outputs) {
            if (output != null && output.takesPlace() && !taken.add(output.path().normalize())) {
                throw new OptionException(
                        "census, census.json and report must have a file each: file="
                                + output.file());
            }
        }
    }

    private @Nullable String leaks() {
        String value = values.get("leaks");
        if (value != null && !LEAKS.contains(value)) {
            throw new OptionException("leaks must be off, sampled or all: leaks=" + value);
        }
        return value;
    }

    /** A switch, which is off if nothing is said, and on if no value is. */
    private boolean isOn(String key) {
        String value = values.getOrDefault(key, "off");
        return switch (value) {
            case "", "on" -> true;
            case "off" -> false;
            default -> throw new OptionException(key + " must be on or off: " + key + "=" + value);
        };
    }

    private @Nullable CensusOptions census() {
        Output text = output("census");
        Output json = file("census.json");
        int seconds = number("census.seconds", SECONDS_MAX);
        int sites = number("census.sites", SITES_MAX);
        if (text == null && json == null) {
            for (String key : List.of("census.seconds", "census.sites")) {
                if (values.containsKey(key)) {
                    throw new OptionException(key + " needs census or census.json");
                }
            }
            return null;
        }
        return new CensusOptions(text, json, seconds, sites);
    }

    private List<ClassPattern> patterns(String key) {
        List<ClassPattern> patterns = new ArrayList<>();
        if (values.containsKey(key)) {
            for (String pattern : split(values.getOrDefault(key, ""), ":")) {
                try {
                    patterns.add(new ClassPattern(pattern));
                } catch (IllegalArgumentException e) {
                    throw new OptionException(key + ": " + e.getMessage());
                }
            }
        }
        return patterns;
    }

    /** A positive number; 0 if nothing is said. */
    private int number(String key, int max) {
        String value = values.get(key);
        if (value == null) {
            return 0;
        }
        try {
            int number = Integer.parseInt(value);
            if (number >= 1 && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new OptionException(
                key + " must be a number from 1 to " + max + ": " + key + "=" + value);
    }

    /** Where an option without a value means standard error. */
    private @Nullable Output output(String key) {
        return "".equals(values.get(key)) ? Output.STDERR : file(key);
    }

    private @Nullable Output file(String key) {
        String value = values.get(key);
        if (value == null) {
            return null;
        }
        if (value.isEmpty()) {
            throw new OptionException(key + " must name a file: " + key + "=FILE");
        }
        Output output = new Output(value);
        if (!isWritable(output)) {
            throw new OptionException(
                    key
                            + " must name a file in a directory that exists and can be written: "
                            + key
                            + "="
                            + value);
        }
        return output;
    }

    private static boolean isWritable(Output output) {
        try {
            return output.isWritable();
        } catch (InvalidPathException e) {
            return false; // a character that names of files do not have here
        }
    }

    private static List<String> split(String text, String separators) {
        List<String> parts = new ArrayList<>();
        int start = 0;
        for (int i = 0; i <= text.length(); i++) {
            if (i == text.length() || separators.indexOf(text.charAt(i)) >= 0) {
                if (i == start) {
                    throw new OptionException(
                            "there must be something between separators: " + text);
                }
                parts.add(text.substring(start, i));
                start = i + 1;
            }
        }
        return parts;
    }
}
