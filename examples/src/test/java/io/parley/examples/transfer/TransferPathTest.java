package io.parley.examples.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TransferPathTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "a/b/c",
                "...a",
                "..a/.b",
                "a b",
                "a'b",
                "\u00fc\u00e4/\u65e5\u672c\u8a9e",
                "-rf",
                "$HOME",
                "*",
                "console",
                "com10",
                "a/.parley-part",
                "nulls.txt"
            })
    void ordinaryPath_isAccepted(String text) {
        Path path = new TransferPath(text).below(Path.of("root"));

        assertThat(path.normalize()).isEqualTo(path);
        assertThat(path.toString()).isEqualTo("root/" + text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "/etc/passwd",
                "a//b",
                "a/",
                "..",
                "../a",
                "a/../b",
                "a/..",
                ".",
                "./a",
                "a/./b",
                "a\\b",
                "..\\a",
                "C:",
                "C:/a",
                "c:a",
                "a/b:stream",
                "a\u0000b",
                "a\nb",
                "a\u001b[2J",
                "a.",
                "a ",
                "a/b./c",
                ".. ",
                "... ",
                "nul",
                "NUL.txt",
                "a/Con/b",
                "com1",
                "LPT9.tar.gz",
                "aux .txt",
                ".parley-part",
                ".parley-part/x",
                ".PARLEY-PART/x",
                "\ud800",
                "a/\ufffd"
            })
    void dangerousPath_isRejected(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TransferPath(text))
                .withMessageContaining("rejected");
    }

    @Test
    void overlongPath_isRejected() {
        assertThat(new TransferPath("x".repeat(255))).isNotNull();
        assertThatIllegalArgumentException().isThrownBy(() -> new TransferPath("x".repeat(256)));
        assertThatIllegalArgumentException().isThrownBy(() -> new TransferPath("\u00fc".repeat(128)));
        assertThatIllegalArgumentException().isThrownBy(() -> new TransferPath("x/".repeat(2048) + "x"));
    }
}
