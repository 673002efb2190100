package io.polder.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.Set;

class PromiseRulesTest {

    private static final String API =
            """
            # What it shows: this.

            io.polder.Thing: public final class
                public <init>(int)
                public long take(long) throws java.io.IOException
                public static final int MAX = 7
                public void give()

            io.polder.Thing$Kind: public enum
                public static final io.polder.Thing$Kind ONE
                public static io.polder.Thing$Kind valueOf(String)
                public static io.polder.Thing$Kind[] values()
            """;

    private static final String TEST =
            """
            class ThingTest {
                @Test
                void take_one_isOne() {}
                // void gone() {}
            }
            """;

    @Test
    void check_repository_hasAPromiseAndATestForAllThatIsShown() {
        Tidy.assertNone(PromiseRules.check(Repository.tree()));
    }

    @Test
    void api_ofTheRepository_isRead() {
        assertThat(PromiseRules.api(Repository.tree()).get("MemoryPool"))
                .contains("common", "openConfined", "close")
                .doesNotContain("toString");
    }

    @Test
    void check_allPromisedAndHeld_isFine() {
        assertThat(
                        PromiseRules.check(
                                tree(
                                        "## Thing\n\n"
                                                + "| of | promise | held by |\n"
                                                + "|---|---|---|\n"
                                                + "| `take`, `MAX` | a \\| b |"
                                                + " `ThingTest.take_one_isOne` |\n"
                                                + "| `give` | gives | `ThingTest` |\n\n"
                                                + "## `Thing.Kind`\n"
                                                + "| the rest | is | `ThingTest` |\n")))
                .isEmpty();
        assertThat(PromiseRules.api(tree("")).get("Thing.Kind")).isEqualTo(Set.of("ONE"));
    }

    @Test
    void check_canary_isCaught() {
        assertThat(
                        PromiseRules.check(
                                tree(
                                        """
                                        ## Thing
                                        | `take` | one | `ThingTest.gone` |
                                        | `lend` | two | `OtherTest` |
                                        | `give` | three | nobody |
                                        | `give` | four |
                                        ## Gone
                                        """)))
                .extracting(Violation::message)
                .containsExactly(
                        "no such test: ThingTest.gone",
                        "not shown: Thing.lend",
                        "no such test: OtherTest",
                        "held by no test: three",
                        "a row has three cells",
                        "not in core/api.txt: Gone",
                        "no promise of Thing.MAX",
                        "no promises of Thing.Kind");
    }

    private static Tree tree(String document) {
        return Tree.of(
                "core/api.txt",
                API,
                "core/src/test/java/io/polder/ThingTest.java",
                TEST,
                PromiseRules.DOCUMENT,
                document);
    }
}
