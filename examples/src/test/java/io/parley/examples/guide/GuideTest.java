package io.parley.examples.guide;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Compiles and runs each recipe of the user guide, and compares its output with that in the guide. */
class GuideTest {

    private static final Path GUIDE = Path.of("..", "docs", "guide");

    /** The imports of all recipes, which the first page of the guide lists. */
    private static final String IMPORTS = """
            import io.parley.*;
            import io.parley.advertisement.*;
            import io.parley.codec.compress.*;
            import io.parley.discovery.*;
            import io.parley.encoding.*;
            import io.parley.endpoint.ServiceAddress;
            import io.parley.error.*;
            import io.parley.group.*;
            import io.parley.id.*;
            import io.parley.identity.*;
            import io.parley.json.*;
            import io.parley.message.*;
            import io.parley.pipes.*;
            import io.parley.sockets.*;
            import java.nio.file.*;
            import java.time.Duration;
            import java.util.*;
            import java.util.concurrent.*;
            """;

    private static final int MAX_PROGRAM_LINES = 40;

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    /** Of all compilations, because it reads the directories of the class path once. */
    private static StandardJavaFileManager files;

    @TempDir
    private Path directory;

    /**
     * A program of the guide.
     *
     * @param line the number of its first line
     * @param output what it prints, by the guide
     */
    private record Recipe(Path page, int line, List<String> program, List<String> output) {

        String name() {
            return page.getFileName() + " line " + line;
        }

        String className() {
            return "Recipe" + line;
        }
    }

    @BeforeAll
    static void openFiles() {
        files = COMPILER.getStandardFileManager(null, null, StandardCharsets.UTF_8);
    }

    @AfterAll
    static void closeFiles() throws IOException {
        files.close();
    }

    @TestFactory
    Stream<DynamicTest> recipe_prints_whatTheGuideSays() throws IOException {
        List<Recipe> recipes = new ArrayList<>();
        try (Stream<Path> pages = Files.list(GUIDE)) {
            for (Path page : pages.filter(Files::isRegularFile).sorted().toList()) {
                recipes.addAll(read(page));
            }
        }
        assertThat(recipes).hasSizeGreaterThan(5);
        return recipes.stream().map(recipe -> DynamicTest.dynamicTest(recipe.name(), () -> check(recipe)));
    }

    /** Each side of a program is one file, without anything that the reader must know besides. Another test runs them. */
    @TestFactory
    Stream<DynamicTest> program_isShort_compiles_andIsLinked() throws IOException {
        String guide = Files.readString(GUIDE.resolve("README.md"));
        List<Path> programs;
        try (Stream<Path> walk = Files.walk(GUIDE.resolve("programs"))) {
            programs = walk.filter(Files::isRegularFile).sorted().toList();
        }
        assertThat(programs).hasSize(8);
        return programs.stream()
                .map(program -> DynamicTest.dynamicTest(program.getFileName().toString(), () -> {
                    assertThat(Files.readAllLines(program))
                            .hasSizeLessThanOrEqualTo(MAX_PROGRAM_LINES)
                            .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(120));
                    compile(program, directory);
                    assertThat(guide)
                            .contains(
                                    "](" + GUIDE.relativize(program).toString().replace('\\', '/') + ")");
                }));
    }

    /** Each block of Java is a program, and the block of text after it is its output. */
    private static List<Recipe> read(Path page) throws IOException {
        List<Recipe> recipes = new ArrayList<>();
        List<String> block = null;
        int number = 0;
        for (String line : Files.readAllLines(page)) {
            number++;
            if (block == null && line.equals("```java")) {
                recipes.add(new Recipe(page, number + 1, new ArrayList<>(), new ArrayList<>()));
                block = recipes.get(recipes.size() - 1).program();
            } else if (block == null && line.equals("```text")) {
                block = recipes.get(recipes.size() - 1).output();
            } else if (line.startsWith("```")) {
                block = block == null ? new ArrayList<>() : null;
            } else if (block != null) {
                block.add(line);
            }
        }
        return recipes;
    }

    private void check(Recipe recipe) throws Exception {
        Path classes = Files.createDirectory(directory.resolve(recipe.page().getFileName() + "-" + recipe.className()));
        compile(recipe, classes);
        assertThat(run(recipe, classes)).isEqualTo(recipe.output());
    }

    private static void compile(Recipe recipe, Path classes) throws IOException {
        Path source = classes.resolve(recipe.className() + ".java");
        Files.writeString(
                source,
                IMPORTS + "public class " + recipe.className() + " {\n"
                        + "    public static void main(String[] args) throws Exception {\n"
                        + String.join("\n", recipe.program())
                        + "\n    }\n}\n");
        compile(source, classes);
    }

    private static void compile(Path source, Path classes) {
        StringWriter messages = new StringWriter();
        boolean compiled = COMPILER.getTask(
                        messages,
                        files,
                        null,
                        List.of("-proc:none", "-d", classes.toString(), "-cp", System.getProperty("java.class.path")),
                        null,
                        files.getJavaFileObjects(source))
                .call();
        assertThat(compiled).as(messages.toString()).isTrue();
    }

    private static List<String> run(Recipe recipe, Path classes) throws Exception {
        PrintStream out = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
            System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
            loader.loadClass(recipe.className())
                    .getMethod("main", String[].class)
                    .invoke(null, (Object) new String[0]);
        } catch (InvocationTargetException e) {
            throw new AssertionError(recipe.name() + ": failed after it had printed " + printed, e.getCause());
        } finally {
            System.setOut(out);
        }
        return printed.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
