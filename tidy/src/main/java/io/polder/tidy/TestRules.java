package io.polder.tidy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The list of the tests of which a plain build leaves something out. */
final class TestRules {

    private static final String LIST = "CONTRIBUTING.md";
    private static final String HEADING = "## Long tests";
    private static final String TAG = "@Tag(\"full\")\n";
    private static final String SCALE = "TestScale.of(";
    private static final Pattern TEST_CLASS = Pattern.compile("`(\\w+Test)`");

    private TestRules() {}

    /** Classes with a test that is tagged as long, or does more then, must be those listed. */
    static List<Violation> longTests(Tree tree) {
        Set<String> tagged = new TreeSet<>();
        tree.java()
                .filter(SourceFile::isTest)
                .filter(file -> isLong(JavaText.withoutComments(file.text())))
                .forEach(file -> tagged.add(simpleName(file)));
        Set<String> listed = listed(tree);
        List<Violation> found = new ArrayList<>();
        tagged.stream()
                .filter(name -> !listed.contains(name))
                .forEach(
                        name -> found.add(new Violation(LIST, 0, "not under Long tests: " + name)));
        listed.stream()
                .filter(name -> !tagged.contains(name))
                .forEach(name -> found.add(new Violation(LIST, 0, "nothing long in: " + name)));
        return found;
    }

    private static boolean isLong(String text) {
        return text.contains(TAG) || text.contains(SCALE);
    }

    private static Set<String> listed(Tree tree) {
        Set<String> listed = new TreeSet<>();
        tree.markdown()
                .filter(file -> file.path().equals(LIST))
                .forEach(
                        file -> {
                            boolean inside = false;
                            for (String line : file.lines()) {
                                if (line.startsWith("## ")) {
                                    inside = line.equals(HEADING);
                                }
                                Matcher name = TEST_CLASS.matcher(inside ? line : "");
                                while (name.find()) {
                                    listed.add(name.group(1));
                                }
                            }
                        });
        return listed;
    }

    static String simpleName(SourceFile file) {
        String name = file.path().substring(file.path().lastIndexOf('/') + 1);
        return name.substring(0, name.indexOf('.'));
    }
}
