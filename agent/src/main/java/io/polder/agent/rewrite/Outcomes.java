package io.polder.agent.rewrite;

import io.polder.agent.library.Log;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What became of the classes that open arenas. A class that is transformed again counts once. By
 * name: classes of one name in several loaders count once.
 *
 * <p>Thread-safe.
 */
public final class Outcomes {
    /** Guessed: enough to see why; their number is counted. */
    private static final int REASONS_MAX = 100;

    private final Set<String> rewritten = new TreeSet<>();
    private final Map<String, String> left = new LinkedHashMap<>();
    private final Set<String> leftMore = new HashSet<>();
    private final Log log;
    private boolean told;

    /**
     * Nothing became of any class yet.
     *
     * @param log told in one line of what prevents rewriting other classes as well
     */
    public Outcomes(Log log) {
        this.log = log;
    }

    /**
     * What was counted.
     *
     * @param rewritten names of rewritten classes
     * @param left what was left as it is, and why: a line each, safe to be printed
     * @param leftMore how many more were left
     */
    public record Summary(List<String> rewritten, List<String> left, long leftMore) {
        /** Copies the lists. */
        public Summary {
            rewritten = List.copyOf(rewritten);
            left = List.copyOf(left);
        }

        /** How many classes were left, in whole or in part. */
        public long leftCount() {
            return left.size() + leftMore;
        }

        /** The same, for people. */
        public String leftInWords() {
            long count = leftCount();
            return count + (count == 1 ? " left as it is" : " left as they are");
        }
    }

    synchronized void rewritten(String name) {
        rewritten.add(name);
    }

    /**
     * Notes that a class stays as it is.
     *
     * @param why what was thrown: also, for lack of what lies in the agent's jar, at no fault of
     *     the class
     */
    synchronized void left(String name, Throwable why) {
        left(name, why.toString());
        if (!told && (why instanceof IllegalStateException || why instanceof LinkageError)) {
            Throwable cause = why.getCause();
            log.say("classes cannot be rewritten: " + (cause == null ? why : cause));
            told = true;
        }
    }

    /** Notes that a class, or something in it, stays as it is. */
    synchronized void left(String name, String why) {
        if (left.size() < REASONS_MAX || left.containsKey(name)) {
            left.put(name, why);
        } else {
            leftMore.add(name);
        }
    }

    synchronized boolean isRewritten(String name) {
        return rewritten.contains(name);
    }

    /** What was counted so far. */
    public synchronized Summary summary() {
        List<String> reasons = new ArrayList<>();
        left.forEach((name, why) -> reasons.add(Printable.of(name + ": " + why)));
        return new Summary(List.copyOf(rewritten), reasons, leftMore.size());
    }
}
