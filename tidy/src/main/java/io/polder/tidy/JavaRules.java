package io.polder.tidy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/** Rules for Java sources that neither the compiler nor the formatter knows. */
final class JavaRules {

    static final int MAIN_LINES_MAX = 800;
    static final int TEST_LINES_MAX = 1000;
    static final int LINES_WARNED = 500;
    static final int COLUMNS_MAX = 100;

    private static final Pattern WILDCARD_IMPORT =
            Pattern.compile("^\\s*import\\s+(static\\s+)?[\\w.]+\\.\\*\\s*;");
    private static final Pattern STANDARD_STREAM =
            Pattern.compile("\\bSystem\\s*\\.\\s*(out|err)\\b");
    private static final Pattern SLEEP = Pattern.compile("\\bThread\\s*\\.\\s*sleep\\b");
    private static final Pattern ENDLESS =
            Pattern.compile(
                    "\\.\\s*(await|acquire)\\(\\)|\\bExecutors\\s*\\.\\s*new(Fixed|Single)");
    private static final Pattern UNSAFE = Pattern.compile("\\bsun\\.misc\\." + "Unsafe\\b");

    /** A test's, which does what no public method does, since only an overflow in the JDK can. */
    private static final String LEAVES_SCOPES_ACQUIRED =
            "core/src/test/java/io/polder/heap/space/AcquiredScope.java";

    /**
     * Made of classes that are defined at run time, of which the JVM warns anyone who runs tests.
     */
    private static final Pattern ASSERTJ_PROXIES =
            Pattern.compile("\\borg\\.assertj\\.core\\.api\\." + "(Assumptions|SoftAssertions)\\b");

    private JavaRules() {}

    static List<Violation> size(Tree tree) {
        return tree.java()
                .filter(file -> file.lines().size() > linesMax(file))
                .map(
                        file ->
                                new Violation(
                                        file.path(),
                                        0,
                                        "too long: split it: lines="
                                                + file.lines().size()
                                                + ", max="
                                                + linesMax(file)))
                .toList();
    }

    /** Files that are still allowed, but that should not grow any more. */
    static List<Violation> growing(Tree tree) {
        return tree.java()
                .filter(file -> file.lines().size() > LINES_WARNED)
                .map(file -> new Violation(file.path(), 0, "lines=" + file.lines().size()))
                .toList();
    }

    static List<Violation> width(Tree tree) {
        Predicate<String> bad =
                line ->
                        line.codePointCount(0, line.length()) > COLUMNS_MAX
                                && !line.startsWith("import ")
                                && !line.contains("://");
        return tree.java()
                .flatMap(file -> Tree.lines(file, bad, "over " + COLUMNS_MAX + " columns").stream())
                .toList();
    }

    static List<Violation> banned(Tree tree) {
        List<Violation> found = new ArrayList<>();
        tree.java()
                .forEach(
                        file -> {
                            UnaryOperator<String> code = JavaText::withoutCommentsAndLiterals;
                            ban(found, file, code, WILDCARD_IMPORT, "wildcard import");
                            ban(found, file, code, ASSERTJ_PROXIES, "of AssertJ: take JUnit's");
                            if (file.isCoreMain()) {
                                ban(found, file, code, STANDARD_STREAM, "standard stream in core");
                                ban(found, file, code, SLEEP, "sleep in core");
                            }
                            if (isCoreTest(file)) {
                                ban(found, file, code, ENDLESS, "endless: take Await or Crew");
                            }
                            if (!file.path().startsWith("bench/")
                                    && !file.path().endsWith(LEAVES_SCOPES_ACQUIRED)) {
                                UnaryOperator<String> text = JavaText::withoutComments;
                                ban(found, file, text, UNSAFE, "Unsafe outside bench");
                            }
                        });
        return found;
    }

    /** Not what tests have in another process, which ends with that. */
    private static boolean isCoreTest(SourceFile file) {
        return file.path().startsWith("core/src/test/") && file.path().endsWith("Test.java");
    }

    private static void ban(
            List<Violation> found,
            SourceFile file,
            UnaryOperator<String> view,
            Pattern pattern,
            String message) {
        List<String> lines = view.apply(file.text()).lines().toList();
        found.addAll(Tree.lines(file, lines, line -> pattern.matcher(line).find(), l -> message));
    }

    private static int linesMax(SourceFile file) {
        return file.isTest() ? TEST_LINES_MAX : MAIN_LINES_MAX;
    }
}
