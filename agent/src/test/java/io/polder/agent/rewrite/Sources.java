package io.polder.agent.rewrite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles sources in memory. */
final class Sources {
    private Sources() {}

    /** The class files of one source, by name; the test is skipped on a JVM without a compiler. */
    static Map<String, byte[]> compile(String name, String source, String... options) {
        Map<String, ByteArrayOutputStream> files = new HashMap<>();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        assumeTrue(compiler != null, "no JDK");
        JavaFileManager manager =
                new ForwardingJavaFileManager<JavaFileManager>(
                        compiler.getStandardFileManager(null, null, null)) {
                    @Override
                    public JavaFileObject getJavaFileForOutput(
                            Location location,
                            String type,
                            JavaFileObject.Kind kind,
                            FileObject sibling) {
                        ByteArrayOutputStream out = new ByteArrayOutputStream();
                        files.put(type, out);
                        return new SimpleJavaFileObject(URI.create("mem:///" + type), kind) {
                            @Override
                            public OutputStream openOutputStream() {
                                return out;
                            }
                        };
                    }
                };
        JavaFileObject file =
                new SimpleJavaFileObject(
                        URI.create("mem:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                    }
                };
        boolean compiled =
                compiler.getTask(null, manager, null, List.of(options), null, List.of(file)).call();
        assertThat(compiled).as("compiles").isTrue();
        Map<String, byte[]> classes = new HashMap<>();
        files.forEach((type, bytes) -> classes.put(type, bytes.toByteArray()));
        return classes;
    }
}
