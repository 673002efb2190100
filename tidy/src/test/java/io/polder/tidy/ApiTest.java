package io.polder.tidy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

class ApiTest {

    private static final String LIST = "core/api.txt";
    private static final Path CORE = Repository.root().resolve("core");
    private static final Path CLASSES = CORE.resolve("target/classes");

    @Test
    void compare_repository_listsWhatIsShown() throws IOException, URISyntaxException {
        boolean fix = System.getProperty("tidy.fix") != null;
        // Formatting needs nothing compiled, and what is stale must not be written.
        assumeTrue(!fix || ApiSurface.isCompiled(CORE.resolve("src/main"), CLASSES));
        String shown = ApiSurface.of("io.polder", CLASSES, List.of(placeOf(Nullable.class)));
        Path list = Repository.root().resolve(LIST);
        String listed = Files.exists(list) ? Files.readString(list) : "";
        if (!fix) {
            Tidy.assertNone(
                    ApiSurface.compare(LIST, listed, shown),
                    "If the API should change, run: mvn -q -pl tidy test -Dtidy.fix");
        } else if (!shown.equals(listed)) {
            Files.writeString(list, shown);
            System.out.println("written " + LIST);
        }
    }

    @Test
    void ofPackages_canary_listsWhatOthersReach() throws IOException, URISyntaxException {
        String shown =
                ApiSurface.ofPackages(
                        Set.of("io.polder.tidy.shown"),
                        placeOf(ApiTest.class),
                        List.of(placeOf(Nullable.class)));
        assertThat(shown)
                .isEqualTo(
                        """

                        ~.Shown: public abstract class<T extends Comparable<T>>
                         extends ~.Hidden<T> implements AutoCloseable
                            protected <init>(int) throws java.io.IOException
                            public @Nullable String maybe(Object[] (varargs)) (deprecated)
                            public abstract void close()
                            public final java.util.List<? extends T> inherited()
                            public static final Integer BOXED
                            public static final int ANSWER = 42

                        ~.Shown$Kind: public enum
                            public static final ~.Shown$Kind ONE
                            public static ~.Shown$Kind valueOf(String)
                            public static ~.Shown$Kind[] values()
                        """
                                .replace("\n extends", " extends")
                                .replace("~", "io.polder.tidy.shown"));
    }

    @Test
    void compare_memberGoneAndCome_areNamedWithTheirType() {
        String before = "a.A: public class\n    public void x()\n    public void y()\n";
        String after = "a.A: public class\n    public void x()\n    public void z()\n";
        assertThat(ApiSurface.compare("api.txt", before, after))
                .containsExactly(
                        new Violation("api.txt", 3, "not shown any more: a.A public void y()"),
                        new Violation("api.txt", 0, "shown and not listed: a.A public void z()"));
        assertThat(ApiSurface.compare("api.txt", before, before)).isEmpty();
    }

    @Test
    void compare_memberOfAnotherType_isNoMatch() {
        String before = "a.A: public class\n    public void x()\na.B: public class\n";
        String after = "a.A: public class\na.B: public class\n    public void x()\n";
        assertThat(ApiSurface.compare("api.txt", before, after)).hasSize(2);
    }

    private static Path placeOf(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }
}
