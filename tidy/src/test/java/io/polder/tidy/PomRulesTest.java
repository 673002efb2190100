package io.polder.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

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
                    + "</project>";
    private static final String BOM =
            "<project><version>1</version><packaging>pom</packaging>"
                    + ABOUT
                    + "<dependencyManagement><dependencies>"
                    + "<dependency><artifactId>p-a</artifactId></dependency>"
                    + "</dependencies></dependencyManagement></project>";
    private static final String PUBLISHED =
            "<project><parent><version>1</version></parent><artifactId>p-a</artifactId>"
                    + "<name>A</name><description>An A.</description><build><plugins><plugin>"
                    + "<artifactId>maven-javadoc-plugin</artifactId></plugin></plugins></build>"
                    + "</project>";
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
        assertThat(PomRules.check(tree(ROOT, BOM, PUBLISHED.replace("javadoc", "other"))))
                .containsExactly(new Violation("a/pom.xml", 0, "makes no Javadoc"));
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

    private static Tree tree(String root, String bom, String a) {
        return Tree.of(
                "pom.xml", root, "bom/pom.xml", bom, "a/pom.xml", a, "b/pom.xml", NOT_PUBLISHED);
    }
}
