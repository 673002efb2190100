package io.polder.agent.rewrite;

import io.polder.agent.library.Log;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What became of the classes that open arenas. A class that is transformed again counts once. By
 * name: classes of one name in several loaders count once.
 *
 * <p>A program may make classes without end, so names are kept of the first ones only, and the
 * others are counted by {@link NameMarks}: some too few.
 *
 * <p>Thread-safe.
 */
public final class Outcomes {
    /** Guessed: enough to see why; their number is counted. */
    private static final int REASONS_MAX = 100;

    /** Guessed: more than people read. */
    private static final int NAMES_MAX = 1000;

    private final Set<String> rewritten = new TreeSet<>();
    private final NameMarks rewrittenMore = new NameMarks();
    private final Map<String, String> left = new LinkedHashMap<>();
    private final NameMarks leftMore = new NameMarks();
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
     * @param rewrittenMore how many more were rewritten
     * @param left what was left as it is, and why: a line each, safe to be printed
     * @param leftMore how many more were left
     */
    public record Summary(
            List<String> rewritten, long rewrittenMore, List<String> left, long leftMore) {
        /** Copies the lists. */
        public Summary {
            rewritten = List.copyOf(rewritten);
            left = List.copyOf(left);
        }

        /** How many classes were rewritten. */
        public long rewrittenCount() {
            return rewritten.size() + rewrittenMore;
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
        if (rewritten.size() < NAMES_MAX || rewritten.contains(name)) {
            rewritten.add(name);
        } else {
            rewrittenMore.add(name);
        }
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

    /** Whether a class was rewritten; of some that were not it is said as well. */
    synchronized boolean mayBeRewritten(String name) {
        return rewritten.contains(name) || rewrittenMore.mayContain(name);
    }

    /** What was counted so far. */
    public synchronized Summary summary() {
        List<String> reasons = new ArrayList<>();
        left.forEach((name, why) -> reasons.add(Printable.of(name + ": " + why)));
        return new Summary(
                List.copyOf(rewritten), rewrittenMore.count(), reasons, leftMore.count());
    }
}
