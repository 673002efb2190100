package io.polder.lab.experiments.replay;

import io.polder.lab.experiments.replay.ArenaEvent.Kind;

import org.jspecify.annotations.Nullable;

/**
 * Understands lines that {@code -Xlog:metaspace*=trace} writes.
 *
 * <pre>{@code
 *   [0.059s][debug][metaspace   ] Arena @0x00007fa6dc0ae020 (class arena): born.
 *   [0.059s][trace][metaspace   ] Arena @0x00007fa6dc0ae020 (class arena): requested 64 words.
 *   [9.851s][debug][metaspace   ] Arena @0x00007fa6dc0ae020 (class arena): : dies.
 *    |       |      '- tags, padded to the widest that the log has had so far
 *    |       '- level; this and any other decoration may be missing or be more
 *    '- uptime, which may not: in s, ms or ns
 * }</pre>
 *
 * <p>HotSpot writes one {@code requested} line for each request, whatever the padding. The lines
 * around it, such as {@code after allocation} or {@code added to fbl}, say what it made of the
 * request; they and whatever else is decorated are skipped.
 */
final class LineParser {
    private static final String ARENA = " Arena @0x";
    private static final String REQUESTED = "requested ";
    private static final String WORDS = " words.";

    /** 1 GiB, far more than metaspace has in one piece: a larger number is none of words. */
    private static final long WORDS_MAX = 1 << 27;

    /** How much of a line that is not understood is shown. */
    private static final int SHOWN = 60;

    private LineParser() {}

    /**
     * Parses a line, given without its line end.
     *
     * @return null if it says nothing about an arena's life or requests
     * @throws BrokenLogException if it is no line of such a log, or an incomplete one
     */
    static @Nullable ArenaEvent parse(String line) throws BrokenLogException {
        int at = 0;
        long nanos = -1;
        while (line.startsWith("[", at)) {
            int end = line.indexOf(']', at);
            if (end < 0) {
                break;
            }
            if (nanos < 0) {
                nanos = uptimeNanos(line, at + 1, end);
            }
            at = end + 1;
        }
        if (nanos < 0) {
            throw broken(
                    "a line begins with the JVM's uptime and tags, as in"
                            + " '[0.012s][trace][metaspace]'",
                    line);
        }
        return line.startsWith(ARENA, at) ? arena(line, at + ARENA.length(), nanos) : null;
    }

    private static @Nullable ArenaEvent arena(String line, int at, long nanos)
            throws BrokenLogException {
        int addressEnd = line.indexOf(" (", at);
        int nameEnd = line.indexOf("): ", at);
        if (addressEnd < 0 || nameEnd < addressEnd) {
            throw broken(
                    "an arena has an address and a name, as in"
                            + " 'Arena @0x00007fa6dc0ae020 (class arena): born.'",
                    line);
        }
        long address = address(line, at, addressEnd);
        int event = nameEnd + "): ".length();
        if (line.startsWith(": ", event)) {
            event += ": ".length();
        }
        if (line.startsWith(REQUESTED, event)) {
            long words = words(line, event + REQUESTED.length());
            return new ArenaEvent(Kind.REQUESTED, address, words, nanos);
        }
        return switch (line.substring(event)) {
            case "born." -> new ArenaEvent(Kind.BORN, address, 0, nanos);
            case "dies." -> new ArenaEvent(Kind.DIES, address, 0, nanos);
            default -> null;
        };
    }

    private static long address(String line, int from, int to) throws BrokenLogException {
        try {
            return Long.parseUnsignedLong(line, from, to, 16);
        } catch (NumberFormatException e) {
            throw broken("an arena's address has at most 16 hexadecimal digits", line);
        }
    }

    private static long words(String line, int at) throws BrokenLogException {
        int end = line.length() - WORDS.length();
        if (end > at && line.endsWith(WORDS)) {
            try {
                long words = Long.parseLong(line, at, end, 10);
                if (words > 0 && words <= WORDS_MAX) {
                    return words;
                }
            } catch (NumberFormatException e) {
                // Said below.
            }
        }
        throw broken("a request ends with a number of words, as in 'requested 64 words.'", line);
    }

    /** The time in {@code 0.012s}, {@code 12ms} or {@code 12000000ns}; -1 if it is none. */
    private static long uptimeNanos(String line, int from, int to) {
        int digits = from;
        int point = -1;
        while (digits < to && (isDigit(line.charAt(digits)) || line.charAt(digits) == '.')) {
            if (line.charAt(digits) == '.') {
                if (point >= 0) {
                    return -1;
                }
                point = digits;
            }
            digits++;
        }
        long unit = unitNanos(line.substring(digits, to).strip());
        if (digits == from || unit == 0 || !isDigit(line.charAt(from))) {
            return -1;
        }
        return Math.round(Double.parseDouble(line.substring(from, digits)) * unit);
    }

    private static long unitNanos(String unit) {
        return switch (unit) {
            case "s" -> 1_000_000_000;
            case "ms" -> 1_000_000;
            case "ns" -> 1;
            default -> 0;
        };
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static BrokenLogException broken(String rule, String line) {
        String shown = line.length() > SHOWN ? line.substring(0, SHOWN) + "..." : line;
        return new BrokenLogException(rule + ": line='" + printable(shown) + "'");
    }

    private static String printable(String text) {
        return text.replaceAll("[^\\x20-\\x7e]", "?");
    }
}
