package io.polder.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;

class PomRulesTest {

    private static final String ABOUT =
            """
            <name>A</name>
            <description>An A.</description>
            <url>https://example.org</url>
            <licenses><license><name>L</name><url>https://example.org/l</url></license></licenses>
            <developers><developer><name>They</name></developer></developers>
            <scm>
              <connection>c</connection>
              <developerConnection>d</developerConnection>
              <url>u</url>
            </scm>
            """;
    private static final String ROOT =
            "<project><version>1</version><modules><module>bom</module><module>a</module>"
                    + "<module>b</module></modules>"
                    + ABOUT
                    + "<build><plugins><plugin><artifactId>maven-javadoc-plugin</artifactId>"
                    + "</plugin></plugins></build></project>";
    private static final String BOM =
            "<project><version>1</version><packaging>pom</packaging>"
                    + ABOUT
                    + "<dependencyManagement><dependencies>"
                    + "<dependency><artifactId>p-a</artifactId></dependency>"
                    + "</dependencies></dependencyManagement></project>";
    private static final String PUBLISHED =
            "<project><parent><version>1</version></parent><artifactId>p-a</artifactId>"
                    + "<name>A</name><description>An A.</description></project>";
    private static final String NOT_PUBLISHED =
            "<project><parent><version>1</version></parent><artifactId>p-b</artifactId>"
                + "<properties><maven.deploy.skip>true</maven.deploy.skip></properties></project>";

    @Test
    void check_repository_isComplete() {
        Tidy.assertNone(PomRules.check(Repository.tree()));
    }

    @Test
    void check_complete_findsNothing() {
        assertThat(PomRules.check(tree(ROOT, BOM, PUBLISHED))).isEmpty();
    }

    @Test
    void check_canary_isCaught() {
        assertThat(PomRules.check(tree(ROOT, BOM, PUBLISHED.replace("An A.", ""))))
                .containsExactly(new Violation("a/pom.xml", 0, "has no description"));
        assertThat(PomRules.check(tree(ROOT.replace("javadoc", "other"), BOM, PUBLISHED)))
                .containsExactly(new Violation("pom.xml", 0, "makes no Javadoc"));
        assertThat(PomRules.check(tree(ROOT, BOM, PUBLISHED.replace(">1<", ">2<"))))
                .containsExactly(new Violation("a/pom.xml", 0, "is of version 2, the root of 1"));
        assertThat(PomRules.check(tree(ROOT, BOM.replace("p-a", "p-b"), PUBLISHED)))
                .containsExactly(
                        new Violation("bom/pom.xml", 0, "lists [p-b], published are [p-a]"));
        assertThat(PomRules.check(tree(ROOT, BOM.replace(">They<", ">We<"), PUBLISHED)))
                .containsExactly(
                        new Violation(
                                "bom/pom.xml",
                                0,
                                "has another developers/developer/name than the root"));
        assertThat(PomRules.check(tree(ROOT.replace(">d<", "><"), BOM, PUBLISHED))).hasSize(2);
    }

    @Test
    void check_documents_nameTheVersionOfTheRoot() {
        String jar = "core/target/polder-core-%s.jar, core/target/polder-core-%s-javadoc.jar";
        String depended = "<artifactId>polder-arrow-default</artifactId>\n  <version>%s</version>";
        assertThat(documents("1.0", jar.formatted("1.0", "1.0"), depended.formatted("1.0")))
                .isEmpty();
        assertThat(documents("1.0", jar.formatted("1.0", "0.9"), "Version 1.0-SNAPSHOT"))
                .containsExactly(
                        new Violation("README.md", 0, "names version 0.9, the root is 1.0"),
                        new Violation(
                                "README.md", 0, "names version 1.0-SNAPSHOT, the root is 1.0"));
        assertThat(documents("1.0", "", depended.formatted("0.9")))
                .containsExactly(
                        new Violation("README.md", 0, "names version 0.9, the root is 1.0"));
        assertThat(documents("1.1-SNAPSHOT", "", depended.formatted("1.0")))
                .as("what is released, while the next one is made")
                .isEmpty();
        assertThat(documents("1.1-SNAPSHOT", jar.formatted("1.0", "1.1-SNAPSHOT"), ""))
                .containsExactly(
                        new Violation(
                                "README.md", 0, "names version 1.0, the root is 1.1-SNAPSHOT"));
    }

    /** As a shell finds them, which builds of other versions do not have. */
    @Test
    void check_documentsWithPatterns_nameTheVersionOfTheRoot() {
        String jars = "cp core/target/polder-core-%s.jar arrow*/target/polder-arrow*-%s.jar";
        assertThat(documents("1.0", jars.formatted("1.0", "1.0"), "")).isEmpty();
        assertThat(documents("1.0", jars.formatted("1.0", "0.9"), ""))
                .containsExactly(
                        new Violation("README.md", 0, "names version 0.9, the root is 1.0"));
        for (String version : List.of("1.0", "1.1-SNAPSHOT")) {
            Violation any =
                    new Violation(
                            "README.md", 0, "names version *-SNAPSHOT, the root is " + version);
            assertThat(documents(version, jars.formatted("*-SNAPSHOT", version), ""))
                    .containsExactly(any);
            assertThat(documents(version, "target/polder-arrow*-SNAPSHOT.jar", ""))
                    .containsExactly(any);
        }
    }

    private static List<Violation> documents(String version, String one, String two) {
        String its = "<version>" + version + "</version>";
        return PomRules.check(
                Tree.of(
                        "pom.xml",
                        ROOT.replace("<version>1</version>", its),
                        "bom/pom.xml",
                        BOM.replace("<version>1</version>", its),
                        "a/pom.xml",
                        PUBLISHED.replace("<version>1</version>", its),
                        "b/pom.xml",
                        NOT_PUBLISHED.replace("<version>1</version>", its),
                        "README.md",
                        one + "\n" + two + "\n",
                        "CHANGELOG.md",
                        "9.9-SNAPSHOT"));
    }

    private static Tree tree(String root, String bom, String a) {
        return Tree.of(
                "pom.xml", root, "bom/pom.xml", bom, "a/pom.xml", a, "b/pom.xml", NOT_PUBLISHED);
    }
}
