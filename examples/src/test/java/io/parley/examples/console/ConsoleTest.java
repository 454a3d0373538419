package io.parley.examples.console;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import io.parley.common.internal.TextSanitizer;
import io.parley.error.ErrorCode;
import io.parley.testkit.HostileText;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConsoleTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private Console console(boolean json) {
        return new Console(new PrintStream(out), new PrintStream(err), json, false);
    }

    @Test
    void json_controlCharactersAndQuotes_areEscaped() {
        String text = "a\"b\\c\n\r\t\u0001\u007f\u00e9" + new String(Character.toChars(0x1F600));

        assertThat(JsonObject.object()
                        .add("t", text)
                        .add("n", -5)
                        .add("b", true)
                        .add("d", 1.23456)
                        .add("x", Double.NaN))
                .hasToString("{\"t\":\"a\\\"b\\\\c\\n\\r\\t\\u0001\\u007f\u00e9\\ud83d\\ude00\",\"n\":-5,\"b\":true,"
                        + "\"d\":1.235,\"x\":null}");
        assertThat(JsonObject.object()).hasToString("{}");
    }

    @Test
    void console_withJson_printsObjectsAlone() {
        Console console = console(true);
        console.result(JsonObject.object().add("a", 1), "line");
        console.print("line");
        console.remark("remark");

        assertThat(out).hasToString("{\"a\":1}" + System.lineSeparator());
        assertThat(err.size()).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"y|true", "YES|true", "yes|true", "n|false", "''|false", "yesterday|false", "y y|false"})
    void question_isAnsweredByYesAlone(String answer, boolean expected) throws Exception {
        InputStream input = new ByteArrayInputStream((answer + "\nyes\n").getBytes(StandardCharsets.UTF_8));
        Console console = new Console(new PrintStream(out), new PrintStream(err), false, true, input);

        assertThat(console.canAsk()).isTrue();
        assertThat(console.ask("Sure?")).isEqualTo(expected);
        assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("Sure? [y/N] ");
    }

    @Test
    void question_atTheEndOfTheInput_isNo() throws Exception {
        Console console =
                new Console(new PrintStream(out), new PrintStream(err), false, true, InputStream.nullInputStream());
        assertThat(console.ask("Sure?")).isFalse();
        assertThat(console(false).canAsk()).isFalse();
    }

    @Test
    void notice_withMarkupOfTheCommandLineLibrary_isPrintedUnchanged() {
        console(true).notice("@|x y|@ @|bold z|@");

        assertThat(err).hasToString("@|x y|@ @|bold z|@" + System.lineSeparator());
    }

    @Test
    void console_withoutJson_keepsRemarksOutOfTheOutput() {
        Console console = console(false);
        console.result(JsonObject.object().add("a", 1), "line");
        console.remark("remark");

        assertThat(out).hasToString("line" + System.lineSeparator());
        assertThat(err).hasToString("remark" + System.lineSeparator());
    }

    @ParameterizedTest
    @CsvSource({"0,0 B", "1023,1023 B", "1024,1.0 KiB", "1610612736,1.5 GiB", "9000000000000000000,7993.6 PiB"})
    void bytes_areFormattedWithAUnit(long bytes, String text) {
        assertThat(TextFormatter.bytes(bytes)).isEqualTo(text);
    }

    @Test
    void oneLine_removesControlCharacters() {
        assertThat(TextFormatter.oneLine("a\u001b[2Jb\r\nc\u202ed\u009be\ud800f"))
                .isEqualTo("a [2Jb  c d e f");
        assertThat(TextFormatter.oneLine("\u00fcml\u00e4ut " + new String(Character.toChars(0x1F600))))
                .isEqualTo("\u00fcml\u00e4ut " + new String(Character.toChars(0x1F600)));
        assertThat(TextFormatter.oneLine(null)).isNotEmpty();
    }

    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void sentence_ofEveryCode_containsOneAdvice(ErrorCode code) {
        String sentence = FailureFormatter.sentence(new CompletionException(code.exception("it went\nwrong")));

        assertThat(sentence).startsWith("it went wrong. ").endsWith(".").hasSizeGreaterThan(25);
        String withAdvice = FailureFormatter.sentence(code.exception("port 22: in use; choose another port"));
        boolean isAdviceOfMessageKept = code == ErrorCode.IDENTITY_UNREADABLE || code == ErrorCode.STORE_UNAVAILABLE;
        assertThat(withAdvice)
                .isEqualTo(
                        isAdviceOfMessageKept
                                ? "port 22: in use; choose another port."
                                : sentence.replace("it went wrong", "port 22: in use"));
    }

    @ParameterizedTest
    @EnumSource(names = {"UNREACHABLE", "TIMEOUT", "CANNOT_LISTEN"})
    void sentence_withAdviceAboutAProxy_keepsIt(ErrorCode code) {
        assertThat(FailureFormatter.sentence(code.exception("http://host:80: refused; check that the proxy allows it")))
                .isEqualTo("http://host:80: refused. Check that the proxy allows it.");
    }

    @Test
    void sentence_ofMissingFile_namesIt() {
        assertThat(FailureFormatter.sentence(new FileAlreadyExistsException("some/file")))
                .isEqualTo("some/file exists already. Choose another path.");
        assertThat(FailureFormatter.sentence(new NoSuchFileException("some/file")))
                .isEqualTo("some/file does not exist. Check the path.");
    }

    @ParameterizedTest
    @CsvSource({"0,0 s", "59,59 s", "60,1 min", "3599,59 min", "7200,2 h", "172800,2 d"})
    void age_isInTheLargestUnit(long seconds, String text) {
        assertThat(TextFormatter.age(Duration.ofSeconds(seconds))).isEqualTo(text);
    }

    @Test
    void progress_withoutTerminal_isALineEveryFewSeconds() {
        AtomicLong now = new AtomicLong();
        try (ProgressLog progress = new ProgressLog(console(false), "sending", 4L << 30, now::get)) {
            progress.advance(1 << 20);
            now.addAndGet(Duration.ofSeconds(4).toNanos());
            progress.advance(1 << 20);
            assertThat(err.size()).isZero();

            now.addAndGet(Duration.ofSeconds(1).toNanos());
            progress.skip(1L << 30);
            now.addAndGet(Duration.ofSeconds(4).toNanos());
            progress.advance(1 << 20);
        }

        assertThat(err.toString(StandardCharsets.UTF_8).lines())
                .containsExactly("sending: 1.0 GiB of 4.0 GiB, 409.6 KiB/s");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void console_withHostileText_printsItPrintable(boolean json) throws Exception {
        InputStream input = InputStream.nullInputStream();
        Console console = new Console(new PrintStream(out), new PrintStream(err), json, false, input);
        console.result(JsonObject.object().add(HostileText.TEXT, HostileText.TEXT), clean("result"));
        console.print(clean("print"));
        console.remark(clean("remark"));
        console.notice(clean("notice"));
        assertThat(console.ask(clean("Sure?"))).isFalse();

        HostileText.assertPrintableLines(out.toString(StandardCharsets.UTF_8));
        HostileText.assertPrintableLines(err.toString(StandardCharsets.UTF_8));
    }

    /** Returns hostile text without line feeds, which a command may print on purpose. */
    private static String clean(String start) {
        return start + HostileText.TEXT.replace('\n', ' ');
    }

    @Test
    void log_withHostileText_isPrintable() {
        LoggerContext context = new LoggerContext();
        PrintableLayout layout = new PrintableLayout(context);
        layout.start();
        Logger logger = context.getLogger("io.parley.Test");
        Exception failure = new IOException(HostileText.TEXT.replace('\n', ' '));
        LoggingEvent event =
                new LoggingEvent("Test", logger, Level.WARN, "Lost {}", failure, new Object[] {HostileText.TEXT});

        String written = layout.doLayout(event);

        HostileText.assertPrintableLines(written);
        assertThat(written).contains("WARN", "io.parley.Test: Lost a").contains("IOException: a", "\tat ");
        assertThat(written.lines().filter(line -> line.contains("IOException"))).hasSize(1);
    }

    @Test
    void oneLine_treatsEachCharacterAsTheLibraryDoes() {
        for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
            String text = Character.toString(c);
            if (!TextFormatter.oneLine(text).equals(TextSanitizer.oneLine(text))) {
                throw new AssertionError(String.format("U+%04X", c));
            }
        }
    }
}
