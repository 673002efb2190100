package io.polder.tools.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.tools.terminal.Progress;
import io.polder.tools.terminal.ProgressLines;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Jars, folders and modules: which class files count, and what is said of those that do not. */
class SourcesTest {
    @TempDir private Path folder;

    private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
    private final Progress progress =
            new ProgressLines(new PrintStream(shown, true, StandardCharsets.UTF_8));

    @Test
    void jar_isOneArtifact() throws Exception {
        Path jar = new Jars().with("A.class", opens("A", "ofAuto")).in(folder.resolve("a.jar"));

        assertThat(scan(jar))
                .singleElement()
                .satisfies(
                        found -> {
                            assertThat(found.name()).isEqualTo(jar.toString());
                            assertThat(found.classes()).isEqualTo(1);
                            assertThat(found.count(UseKind.AUTO)).isEqualTo(1);
                            assertThat(found.problems()).isEmpty();
                        });
        assertThat(shown.toString(StandardCharsets.UTF_8)).contains("  0 %  " + jar);
    }

    /** A search that looks at each folder from all those above it does not end. */
    @Test
    void jar_withFoldersInEachOther_isReadToTheEnd() throws Exception {
        Path jar =
                new Jars()
                        .with("a/".repeat(15_000) + "A.class", opens("A", "ofAuto"))
                        .in(folder.resolve("deep.jar"));

        assertThat(scan(jar))
                .singleElement()
                .satisfies(found -> assertThat(found.count(UseKind.AUTO)).isEqualTo(1));
    }

    /** As the JVM does, which loads what else is in such a jar. */
    @ParameterizedTest
    @ValueSource(strings = {"./a/B.class", "../B.class", "a/../B.class", "a/./B.class"})
    void jar_withNamesThatHaveDots_isScannedButForThese(String name) throws Exception {
        Jars jars =
                new Jars()
                        .with(name, opens("B", "ofAuto"))
                        .with("A.class", opens("A", "ofAuto"))
                        .with("a..b/C.class", opens("C", "ofAuto"));
        Path outer = new Jars().with("lib/inner.jar", jars.bytes()).in(folder.resolve("outer.jar"));
        Path jar = jars.in(folder.resolve("a.jar"));

        for (Path each : List.of(jar, outer)) {
            ArtifactResult found = scan(each).getLast();
            assertThat(found.count(UseKind.AUTO)).isEqualTo(2);
            assertThat(found.problems())
                    .singleElement()
                    .satisfies(problem -> assertThat(problem.where()).isEqualTo(name));
        }
    }

    @Test
    void jarsInJars_areArtifactsOfTheirOwn() throws Exception {
        byte[] inner = new Jars().with("A.class", opens("A", "ofAuto")).bytes();
        byte[] middle = new Jars().with("lib/inner.jar", inner).bytes();
        Path jar =
                new Jars()
                        .with("BOOT-INF/classes/B.class", opens("B", "ofShared"))
                        .with("BOOT-INF/lib/middle.jar", middle)
                        .with("BOOT-INF/lib/truncated.jar", Arrays.copyOf(middle, 50))
                        .in(folder.resolve("app.jar"));

        List<ArtifactResult> found = scan(jar);

        assertThat(found)
                .extracting(ArtifactResult::name)
                .containsExactly(
                        jar.toString(),
                        jar + "!/BOOT-INF/lib/middle.jar",
                        jar + "!/BOOT-INF/lib/middle.jar!/lib/inner.jar",
                        jar + "!/BOOT-INF/lib/truncated.jar");
        assertThat(found.get(0).count(UseKind.SHARED)).isEqualTo(1);
        assertThat(found.get(2).count(UseKind.AUTO)).isEqualTo(1);
        assertThat(found.get(3).problems())
                .singleElement()
                .satisfies(
                        problem -> {
                            assertThat(problem.kind()).isEqualTo(Problem.Kind.DAMAGED);
                            assertThat(problem.what()).startsWith("it is no whole jar: ");
                        });
    }

    @Test
    void jarsTooDeepInEachOther_areLeftOut() throws Exception {
        byte[] bytes = new Jars().with("A.class", opens("A", "ofAuto")).bytes();
        for (int i = 0; i < 6; i++) {
            bytes = new Jars().with("next.jar", bytes).bytes();
        }
        Path jar = Files.write(folder.resolve("deep.jar"), bytes);

        List<ArtifactResult> found = scan(jar);

        assertThat(found).hasSize(6);
        assertThat(found.getLast().problems())
                .singleElement()
                .extracting(Problem::what)
                .isEqualTo("jars lie at most 4 deep in each other");
        assertThat(ArtifactResult.total(found).classes()).isZero();
    }

    @Test
    void multiRelease_highestThatRunsCounts() throws Exception {
        int now = Runtime.version().feature();
        Path jar = releases(new Jars().withManifest("Multi-Release: True"), now);

        assertThat(scan(jar).getFirst().uses())
                .extracting(Use::call)
                .containsExactly("Arena.ofShared()", "Arena.ofAuto()");
        assertThat(scan(jar).getFirst().classes()).isEqualTo(2);
    }

    @Test
    void multiRelease_notDeclared_onlyTheBaseCounts() throws Exception {
        Path jar = releases(new Jars(), Runtime.version().feature());

        assertThat(scan(jar).getFirst().uses())
                .extracting(Use::call)
                .containsExactly("Arena.global()");
    }

    @Test
    void multiRelease_unpacked_highestThatRunsCounts() throws Exception {
        Path classes = unpacked("some/unpacked");
        Files.writeString(
                classes.resolve("META-INF/MANIFEST.MF"),
                "Manifest-Version: 1.0\nMulti-Release: true\n");

        assertThat(scan(folder.resolve("some")).getFirst().uses())
                .extracting(Use::call)
                .containsExactly("Arena.ofShared()");
        assertThat(scan(classes).getFirst().uses())
                .extracting(Use::call)
                .containsExactly("Arena.ofShared()");
    }

    @Test
    void multiRelease_folderThatIsNoUnpackedJar_allCount() throws Exception {
        Path classes = unpacked("classes");

        assertThat(scan(classes).getFirst().uses())
                .extracting(Use::call)
                .containsExactlyInAnyOrder("Arena.ofShared()", "Arena.global()");

        Files.writeString(classes.resolve("META-INF/MANIFEST.MF"), "no manifest\n");
        assertThat(scan(classes).getFirst().uses()).hasSize(2);
        assertThat(scan(classes).getFirst().problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.what()).contains("so all releases count"));
    }

    /** A class, and the same for a later release. */
    private Path unpacked(String name) throws Exception {
        Path classes = folder.resolve(name);
        Files.createDirectories(classes.resolve("META-INF/versions/22"));
        Files.write(classes.resolve("A.class"), opens("A", "global"));
        Files.write(classes.resolve("META-INF/versions/22/A.class"), opens("A", "ofShared"));
        return classes;
    }

    @Test
    void jarThatExecutesItself_isAJar() throws Exception {
        byte[] zip = new Jars().with("A.class", opens("A", "ofAuto")).bytes();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes("#!/bin/bash\nexit 0\n".getBytes(StandardCharsets.UTF_8));
        bytes.writeBytes(zip);
        Path jar = Files.write(folder.resolve("app.jar"), bytes.toByteArray());

        assertThat(scan(jar).getFirst().count(UseKind.AUTO)).isEqualTo(1);
    }

    private Path releases(Jars jar, int now) {
        return jar.with("A.class", opens("A", "global"))
                .with("META-INF/versions/8/A.class", opens("A", "ofConfined"))
                .with("META-INF/versions/09/A.class", opens("A", "ofConfined"))
                .with("META-INF/versions/x/A.class", opens("A", "ofConfined"))
                .with("META-INF/versions/99999999999/A.class", opens("A", "ofConfined"))
                .with("META-INF/versions/21/A.class", opens("A", "ofConfined"))
                .with("META-INF/versions/" + now + "/A.class", opens("A", "ofShared"))
                .with("META-INF/versions/" + (now + 1) + "/A.class", opens("A", "ofConfined"))
                .with("META-INF/versions/22/B.class", opens("B", "ofAuto"))
                .in(folder.resolve("releases.jar"));
    }

    @Test
    void jmod_isReadBehindItsHeader() throws Exception {
        byte[] zip = new Jars().with("classes/A.class", opens("A", "ofAuto")).bytes();
        byte[] jmod = new byte[zip.length + 4];
        jmod[0] = 'J';
        jmod[1] = 'M';
        jmod[2] = 1;
        System.arraycopy(zip, 0, jmod, 4, zip.length);
        Path file = Files.write(folder.resolve("a.jmod"), jmod);

        assertThat(scan(file).getFirst().count(UseKind.AUTO)).isEqualTo(1);
    }

    @Test
    void folder_isItsClassesAndItsJars() throws Exception {
        Path classes = Files.createDirectories(folder.resolve("root/org"));
        Files.write(classes.resolve("A.class"), opens("A", "ofAuto"));
        Files.writeString(classes.resolve("A.java"), "not a class file");
        new Jars().with("B.class", opens("B", "ofShared")).in(folder.resolve("root/b.jar"));
        Files.writeString(folder.resolve("root/broken.jar"), "PK, but no jar");
        Files.createSymbolicLink(folder.resolve("root/loop"), folder.resolve("root"));

        List<ArtifactResult> found = scan(folder.resolve("root"));

        assertThat(found)
                .extracting(ArtifactResult::name)
                .containsExactly(
                        folder.resolve("root").toString(),
                        folder.resolve("root/b.jar").toString(),
                        folder.resolve("root/broken.jar").toString());
        assertThat(found.get(0).count(UseKind.AUTO)).isEqualTo(1);
        assertThat(found.get(0).problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.what()).contains("FileSystemLoop"));
        assertThat(found.get(1).count(UseKind.SHARED)).isEqualTo(1);
        assertThat(found.get(2).problems()).hasSize(1);
    }

    @Test
    void damagedAndNewerClasses_areLeftOut() throws Exception {
        byte[] sound = opens("A", "ofAuto");
        byte[] newer = sound.clone();
        newer[6] = 0;
        newer[7] = (byte) 200;
        Path jar =
                new Jars()
                        .with("Cut.class", Arrays.copyOf(sound, sound.length / 2))
                        .with("Empty.class", new byte[0])
                        .with("Newer.class", newer)
                        .with("Sound.class", sound)
                        .in(folder.resolve("mixed.jar"));

        ArtifactResult found = scan(jar).getFirst();

        assertThat(found.classes()).isEqualTo(4);
        assertThat(found.scanned()).isEqualTo(1);
        assertThat(found.count(UseKind.AUTO)).isEqualTo(1);
        assertThat(found.problems())
                .extracting(problem -> problem.where() + " " + problem.kind())
                .containsExactly("Cut.class DAMAGED", "Empty.class DAMAGED", "Newer.class NEWER");
        assertThat(found.problems().getLast().what())
                .isEqualTo(
                        "a class file is of Java %d at the latest: java=156"
                                .formatted(Runtime.version().feature()));
    }

    @Test
    void damagedZipEntry_isLeftOut() throws Exception {
        byte[] zip = new Jars().with("A.class", opens("A", "ofAuto")).bytes();
        for (int i = 60; i < 90; i++) {
            zip[i] ^= 0x55;
        }
        Path jar = Files.write(folder.resolve("bits.jar"), zip);

        assertThat(scan(jar).getFirst().problems())
                .singleElement()
                .extracting(Problem::kind)
                .isEqualTo(Problem.Kind.DAMAGED);
    }

    @Test
    void image_isAModuleOrAll() throws Exception {
        ArtifactResult base = scan("jrt:/java.base").getFirst();
        ArtifactResult logging = scan("jrt:java.logging").getFirst();

        assertThat(base.name()).isEqualTo("jrt:/java.base");
        assertThat(base.classes()).isGreaterThan(5000);
        assertThat(base.problems()).isEmpty();
        assertThat(base.count(UseKind.UNSAFE)).isGreaterThan(100);
        assertThat(base.count(UseKind.REINTERPRET)).isPositive();
        assertThat(base.count(UseKind.CONFINED)).isPositive();
        assertThat(base.count(Fate.UNDECIDED)).isZero();
        assertThat(logging.uses()).isEmpty();
        assertThat(logging.classes()).isGreaterThan(50);
    }

    @Test
    void whatCannotBeScanned_isSaid() throws Exception {
        Path text = Files.writeString(folder.resolve("a.txt"), "hello");

        assertThatThrownBy(() -> Sources.of(folder.resolve("missing.jar").toString()))
                .isInstanceOf(UnusableException.class)
                .hasMessageEndingWith("missing.jar: there is no such file or folder");
        assertThatThrownBy(() -> Sources.of("")) // not the folder that the user is in
                .isInstanceOf(UnusableException.class);
        assertThatThrownBy(() -> Sources.of(text.toString()))
                .isInstanceOf(UnusableException.class)
                .hasMessageEndingWith("a.txt: the file is neither a class file nor a jar");
        assertThatThrownBy(() -> Sources.of("jrt:/java.bass"))
                .isInstanceOf(UnusableException.class)
                .hasMessageContaining("jrt:/java.bass: the JDK that runs has no such module");
        assertThatThrownBy(() -> Sources.of("jrt:/../x"))
                .isInstanceOf(UnusableException.class)
                .hasMessageContaining("no such module");
        assertThatThrownBy(() -> Sources.of("a\0b"))
                .isInstanceOf(UnusableException.class)
                .hasMessage("a\\u0000b: this is no path");
    }

    private byte[] opens(String name, String opener) {
        return Compiled.bytes(
                Compiled.into(
                        folder,
                        name,
                        "class " + name + " { Arena open() { return Arena." + opener + "(); } }"));
    }

    private List<ArtifactResult> scan(Path path) throws Exception {
        return scan(path.toString());
    }

    private List<ArtifactResult> scan(String path) throws Exception {
        try (Scanner scanner = new Scanner(Compiled.all(), progress)) {
            return scanner.scan(path, Sources.of(path), Span.ALL).artifacts();
        }
    }
}
