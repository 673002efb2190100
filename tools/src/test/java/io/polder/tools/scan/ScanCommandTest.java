package io.polder.tools.scan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.polder.MemoryPool;
import io.polder.tools.terminal.ProgressLines;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import picocli.CommandLine;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.constantpool.ConstantDynamicEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The command line of the scan: what it accepts, what it prints, how it ends. */
class ScanCommandTest {
    private static final String CLEAN =
            "class Clean { long m() { try (Arena a = Arena.ofConfined()) {"
                    + " return a.allocate(8).address(); } } }";
    private static final String LEAKY =
            "class Leaky { long m() { return Arena.ofShared().allocate(8).address(); }"
                    + " Arena n() { return Arena.ofConfined(); } }";

    @TempDir private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private String clean = "";
    private String leaky = "";

    @BeforeEach
    void compile() {
        clean = Compiled.into(folder, "Clean", CLEAN).toString();
        leaky = Compiled.into(folder, "Leaky", LEAKY).toString();
    }

    @Test
    void scan_printsTables() {
        assertThat(scan(folder.toString())).isZero();

        assertThat(out.toString())
                .contains("2 classes in 1 artifact.")
                .contains("Pooling would serve 1 of 2 confined arenas")
                .containsPattern("confined +2 +1 +- +1 +- +-\n")
                .containsPattern("shared +1 +- +- +- +1 +-\n")
                .doesNotContain("Clean.java");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void list_printsEachUse() {
        assertThat(scan("--list", clean, leaky)).isZero();

        assertThat(out.toString())
                .containsPattern("Arena.ofConfined\\(\\) +closed +Clean.m\\(Clean.java:2\\)")
                .containsPattern("Arena.allocate\\(long\\) +from shared +Leaky.m\\(Leaky.java:2\\)")
                .containsPattern("Arena.ofConfined\\(\\) +escapes \\(return\\) +Leaky.n");
    }

    @Test
    void failOn_isExitCodeOneIfFound() {
        assertThat(scan("--fail-on", "escapes,unclosed", clean)).isZero();
        assertThat(scan("--fail-on", "escapes,unclosed", clean, leaky)).isEqualTo(1);
        assertThat(scan("--fail-on", "sometimes,undecided,unreadable", leaky)).isZero();
        assertThat(scan("--fail-on", "ESCAPES", "--kinds", "shared", leaky)).isZero();

        assertThat(out.toString())
                .contains("--fail-on escapes: 1 found", "--fail-on unclosed: 1 found")
                .doesNotContain("--fail-on sometimes");
    }

    /** What a program checks has the library in it. */
    @Test
    void failOn_theLibrary_findsNothing() throws Exception {
        Path library =
                Path.of(
                        MemoryPool.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI());

        assertThat(scan("--fail-on", "unclosed,sometimes,undecided", library.toString())).isZero();
        assertThat(out.toString()).contains("shared");
    }

    @Test
    void failOn_unreadable_isExitCodeOneForWhatWasLeftOut() throws Exception {
        Files.writeString(folder.resolve("Broken.class"), "no class");

        assertThat(scan(folder.toString())).isZero();
        assertThat(out.toString())
                .contains("Left out, 1:")
                .contains("Broken.class: it is no class file: a class file begins with CAFEBABE");
        assertThat(scan("--fail-on", "unreadable", folder.toString())).isEqualTo(1);
    }

    /** A parser that wants to know its value never comes to an end. */
    @Test
    void constantThatContainsItself_isLeftOut() throws Exception {
        Files.write(folder.resolve("Self.class"), constantInItself());

        assertThat(scan(folder.toString())).isZero();
        assertThat(out.toString())
                .contains("2 of 3 classes in 1 artifact.", "Left out, 1:")
                .contains("Self.class: it is no class file: its constants contain each other");
    }

    private static byte[] constantInItself() {
        ClassDesc self = ClassDesc.of("Self");
        DirectMethodHandleDesc make =
                MethodHandleDesc.ofMethod(
                        DirectMethodHandleDesc.Kind.STATIC,
                        self,
                        "make",
                        MethodTypeDesc.ofDescriptor(
                                "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;"
                                        + "Ljava/lang/Class;[I)I"));
        var inner = DynamicConstantDesc.ofNamed(make, "inner", ConstantDescs.CD_int);
        var outer = DynamicConstantDesc.ofNamed(make, "outer", ConstantDescs.CD_int, inner);
        byte[] file =
                ClassFile.of()
                        .build(
                                self,
                                type ->
                                        type.withMethodBody(
                                                "m",
                                                ConstantDescs.MTD_void,
                                                ClassFile.ACC_STATIC,
                                                code -> openIfSet(code, outer)));
        int innerAt = index(file, "inner");
        int outerAt = index(file, "outer");
        // Of the arguments of what makes the outer one, which come last, there is one.
        for (int i = file.length - 2; ; i--) {
            if (file[i - 1] == 1 && file[i - 2] == 0 && file[i + 1] == innerAt && file[i] == 0) {
                file[i + 1] = (byte) outerAt;
                return file;
            }
        }
    }

    private static void openIfSet(CodeBuilder code, ConstantDesc flag) {
        ClassDesc arena = ClassDesc.of(Arena.class.getName());
        code.loadConstant(flag).istore(0).iload(0);
        code.ifThen(
                open ->
                        open.invokestatic(arena, "ofConfined", MethodTypeDesc.of(arena), true)
                                .pop());
        code.return_();
    }

    private static int index(byte[] file, String constant) {
        for (PoolEntry entry : ClassFile.of().parse(file).constantPool()) {
            if (entry instanceof ConstantDynamicEntry made && made.name().equalsString(constant)) {
                return entry.index();
            }
        }
        throw new AssertionError(constant);
    }

    @Test
    void json_ofWhatWasLeftOut_saysWhatAndWhy() throws Exception {
        Files.writeString(folder.resolve("Broken.class"), "no class");

        assertThat(scan("--json", folder.toString())).isZero();

        JsonNode json = new ObjectMapper().readTree(out.toString());
        assertThat(json.get("artifacts").get(0).get("problems").toString())
                .startsWith("[{\"kind\":\"damaged\",\"where\":\"Broken.class\",\"what\":\"it is");
    }

    @Test
    void classFilesOfWhichNoneCanBeRead_areUsage() throws Exception {
        Path file = Files.writeString(folder.resolve("Broken.class"), "\u00ca\u00fe, no class");
        Path jar = new Jars().with("Broken.class", new byte[] {1}).in(folder.resolve("broken.jar"));

        assertThat(scan(clean, jar.toString())).isEqualTo(2);
        assertThat(out.toString())
                .contains("1 of 2 classes in 2 artifacts.", "Left out, 1:", "Broken.class");
        assertThat(err.toString()).isEqualTo(jar + ": nothing in it can be read\n");
        assertThat(scan(file.toString())).isEqualTo(2);
    }

    @Test
    void kinds_withoutArenas_saysNothingOfThem() {
        assertThat(scan("--kinds", "unsafe", leaky)).isZero();
        assertThat(out.toString()).isEqualTo("1 class in 1 artifact.\n");
        assertThat(scan("--kinds", "auto,global", leaky)).isZero();
        assertThat(out.toString()).endsWith("No such arena is opened: auto, global.\n");
        assertThat(scan("--kinds", "confined,shared,auto,global,pooled", clean)).isZero();
        assertThat(out.toString()).doesNotContain("No arena");
    }

    @Test
    void failOn_kindsThatAreNotLookedFor_isUsage() {
        assertThat(scan("--fail-on", "unsafe", "--kinds", "confined", leaky)).isEqualTo(2);
        assertThat(err.toString())
                .contains("--fail-on unsafe needs one of these kinds: unsafe, unsafe-object");
        assertThat(scan("--fail-on", "escapes", "--kinds", "auto,unsafe", leaky)).isEqualTo(2);
        assertThat(err.toString()).contains("--fail-on escapes needs one of these kinds: confined");
        assertThat(scan("--fail-on", "unreadable", "--kinds", "auto", leaky)).isZero();
    }

    @Test
    void manyProblems_areShortenedUnlessListed() throws Exception {
        for (int i = 0; i < 12; i++) {
            Files.writeString(folder.resolve("Broken" + i + ".class"), "no class");
        }

        assertThat(scan(folder.toString())).isZero();
        assertThat(out.toString()).contains("and 2 more; --list prints them all");
        out.getBuffer().setLength(0);
        assertThat(scan("--list", folder.toString())).isZero();
        assertThat(out.toString()).contains("Left out, 12:").doesNotContain("more;");
    }

    @Test
    void json_behindABlank_isAFileIfNamedAsOne() throws Exception {
        Path file = folder.resolve("scan.json");
        assertThat(scan("--json", file.toString(), clean)).isZero();
        assertThat(new ObjectMapper().readTree(Files.readString(file)).get("scan")).hasSize(1);
        assertThat(out.toString()).contains("Written to");
        assertThat(scan("--json", clean)).isZero();
    }

    @Test
    void json_hasTheAgreedKeys() throws Exception {
        Path file = folder.resolve("scan.json");

        assertThat(scan("--json=" + file, clean, leaky)).isZero();

        JsonNode json = new ObjectMapper().readTree(Files.readString(file));
        assertThat(json.fieldNames())
                .toIterable()
                .containsExactly("scan", "kinds", "environment", "total", "artifacts");
        assertThat(json.get("scan").get(1).asText()).isEqualTo(leaky);
        assertThat(json.get("kinds")).hasSize(UseKind.values().length);
        JsonNode total = json.get("total");
        assertThat(total.fieldNames())
                .toIterable()
                .containsExactly(
                        "classes",
                        "scanned",
                        "arenas",
                        "allocators",
                        "allocations",
                        "reinterpret",
                        "unsafe",
                        "unsafe_object",
                        "pooling_would_serve",
                        "problems");
        assertThat(total.get("arenas").get("confined").toString())
                .isEqualTo(
                        "{\"opened\":2,\"closed\":1,\"sometimes\":0,\"escapes\":1,"
                                + "\"unclosed\":0,\"undecided\":0}");
        assertThat(total.get("allocations").get("shared").asInt()).isEqualTo(1);
        assertThat(total.get("pooling_would_serve").asInt()).isEqualTo(1);
        JsonNode use = json.get("artifacts").get(1).get("uses").get(2);
        assertThat(use.toString())
                .isEqualTo(
                        "{\"kind\":\"confined\",\"call\":\"Arena.ofConfined()\","
                                + "\"class\":\"Leaky\",\"method\":\"n\","
                                + "\"descriptor\":\"()Ljava/lang/foreign/Arena;\","
                                + "\"source\":\"Leaky.java\",\"line\":2,"
                                + "\"fate\":\"escapes\",\"way\":\"return\"}");
    }

    /** Once, what stood behind it was overwritten. */
    @Test
    void json_withoutFile_isPrintedAndLeavesThePathsAlone() throws Exception {
        for (String option : new String[] {"--json", "--json=-"}) {
            out.getBuffer().setLength(0);
            assertThat(scan(option, clean, "--fail-on", "escapes", leaky)).isEqualTo(1);
            JsonNode json = new ObjectMapper().readTree(out.toString());
            assertThat(json.get("scan").get(0).asText()).isEqualTo(clean);
            assertThat(json.get("artifacts")).hasSize(2);
        }
        assertThat(err.toString()).contains("--fail-on escapes: 1 found");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void json_thatCannotBeWritten_isSaidWithItsOwnExitCode() {
        assertThat(scan("--json=/dev/full", clean)).isEqualTo(5);
        assertThat(err.toString()).startsWith("/dev/full could not be written: ");
    }

    @Test
    void names_areHarmlessOnATerminalAndInJson() throws Exception {
        Path jar =
                new Jars()
                        .with("a\u001b[2J.class", new byte[] {1})
                        .with("b\u202e.jar", new byte[] {1})
                        .with("Clean.class", Files.readAllBytes(Path.of(clean)))
                        .in(folder.resolve("evil.jar"));
        Path file = folder.resolve("evil.json");

        assertThat(scan("--list", "--json=" + file, jar.toString())).isZero();

        assertThat(out.toString())
                .contains("a\\u001b[2J.class", "b\\u202e.jar")
                .doesNotContain("\u001b", "\u202e");
        assertThat(Files.readString(file)).doesNotContain("\u001b", "\u202e");
    }

    @Test
    void nothingToScan_isUsage() throws Exception {
        Path empty = Files.createDirectory(folder.resolve("empty"));
        Path truncated = Files.writeString(folder.resolve("cut.jar"), "PK\3\4 and no more");

        assertThat(scan(empty.toString())).isEqualTo(2);
        assertThat(scan(truncated.toString())).isEqualTo(2);
        assertThat(scan(clean, truncated.toString())).isEqualTo(2);
        assertThat(scan(clean, folder.resolve("missing").toString())).isEqualTo(2);
        assertThat(scan(clean, empty.toString())).isZero();

        assertThat(err.toString().lines())
                .containsExactly(
                        "No PATH holds a class file that can be read",
                        truncated + ": nothing in it can be read",
                        "No PATH holds a class file that can be read",
                        truncated + ": nothing in it can be read",
                        folder.resolve("missing") + ": there is no such file or folder");
    }

    @Test
    void wrongCommandLines_areUsage() {
        assertThat(scan()).isEqualTo(2);
        assertThat(scan("--fail-on", "leaks", clean)).isEqualTo(2);
        assertThat(err.toString())
                .contains(
                        "'--fail-on' (WHAT): there is no 'leaks', but there are: sometimes,"
                                + " escapes");
        assertThat(scan("--kinds", "arena", clean)).isEqualTo(2);
        assertThat(err.toString()).contains("unsafe-object");
        assertThat(scan("--html", "x", clean)).isEqualTo(2);
        assertThat(scan("--json=" + folder, clean)).isEqualTo(2);
        assertThat(scan("--json=" + folder.resolve("no/x.json"), clean)).isEqualTo(2);
        assertThat(err.toString()).contains("--json names a file in a directory that exists");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void help_documentsExitCodesAndValues() {
        assertThat(scan("--help")).isZero();

        assertThat(out.toString())
                .contains("PATH", "--list", "--json", "--kinds", "--fail-on", "jrt:/java.base")
                .contains("confined", "unsafe-object", "undecided")
                .contains("Exit codes:", "0   ", "1   ", "2   ");
    }

    private int scan(String... args) {
        ProgressLines progress =
                new ProgressLines(
                        new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8));
        return new CommandLine(new ScanCommand(progress))
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(args);
    }
}
