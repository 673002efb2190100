package io.polder.tools.run;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The words of a command line as bytes, which is what they are to the system.
 *
 * <p>The JVM decodes those it is given by the encoding of the locale, and loses what that does not
 * have: all but ASCII in the locale {@code C}. So what is passed on is taken as it came, where the
 * kernel tells ({@code /proc/self/cmdline}); what is made here must be in the encoding.
 *
 * @param encoding of the locale
 * @param given the last words that this JVM was given; null if they are not to be had
 */
record RawWords(Charset encoding, @Nullable List<byte[]> given) {
    /** Those of this JVM. */
    static RawWords ofThisProcess(List<String> arguments) {
        Charset encoding = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
        try {
            byte[] line = Files.readAllBytes(Path.of("/proc/self/cmdline"));
            return new RawWords(encoding, tail(split(line), arguments));
        } catch (IOException e) {
            return new RawWords(encoding, null); // no Linux
        }
    }

    /** Words that end with a zero each. */
    static List<byte[]> split(byte[] line) {
        List<byte[]> words = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < line.length; i++) {
            if (line[i] == 0) {
                words.add(Arrays.copyOfRange(line, start, i));
                start = i + 1;
            }
        }
        return words;
    }

    /** The last words, if they are what became of these arguments, as far as can be compared. */
    static @Nullable List<byte[]> tail(List<byte[]> words, List<String> arguments) {
        int first = words.size() - arguments.size();
        if (first < 0) {
            return null;
        }
        List<byte[]> tail = words.subList(first, words.size());
        for (int i = 0; i < tail.size(); i++) {
            String ascii = new String(tail.get(i), StandardCharsets.US_ASCII);
            boolean comparable = ascii.indexOf('\ufffd') < 0;
            if (comparable && !ascii.equals(arguments.get(i))) {
                return null;
            }
        }
        return tail;
    }

    /**
     * The last of the words that were given.
     *
     * @param words what the JVM made of them
     * @throws JavaLauncher.Refused if they are not to be had, and the encoding does not have them
     */
    List<byte[]> last(List<String> words) throws JavaLauncher.Refused {
        if (given != null && given.size() >= words.size()) {
            return given.subList(given.size() - words.size(), given.size());
        }
        List<byte[]> encoded = new ArrayList<>();
        for (String word : words) {
            encoded.add(encode(word));
        }
        return encoded;
    }

    /**
     * Checks that the JVM has lost nothing of the words before the last ones.
     *
     * @param count how many the last ones are
     * @throws JavaLauncher.Refused if it has
     */
    void checkBefore(int count) throws JavaLauncher.Refused {
        if (given != null) {
            for (byte[] word : given.subList(0, Math.max(0, given.size() - count))) {
                String decoded = new String(word, encoding);
                if (!Arrays.equals(decoded.getBytes(encoding), word)) {
                    throw refused(decoded);
                }
            }
        }
    }

    /**
     * A word in the encoding.
     *
     * @throws JavaLauncher.Refused if it has characters that the encoding has not
     */
    byte[] encode(String word) throws JavaLauncher.Refused {
        byte[] encoded = word.getBytes(encoding);
        if (!new String(encoded, encoding).equals(word)) {
            throw refused(word);
        }
        return encoded;
    }

    private JavaLauncher.Refused refused(String word) {
        return new JavaLauncher.Refused(
                RunCommand.USAGE,
                "a word must be in the encoding of the locale, "
                        + encoding
                        + "; try LC_ALL=C.UTF-8: word="
                        + word);
    }
}
