package io.parley.codec.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.error.ErrorCode;
import io.parley.error.InvalidCallException;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MessageCodecRegistryTest {
    @Test
    void get_unknownName_namesAvailableAndMissing() {
        assertThatThrownBy(
                        () -> MessageCodecRegistry.of(new BinaryMessageCodec()).get("xml"))
                .isInstanceOfSatisfying(
                        InvalidCallException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_COMMON_CODEC))
                .hasMessage("message codec xml: not found; available: binary; add its artifact to the class path,"
                        + " for example io.parley:parley-codec-xml");
        assertThatThrownBy(() -> MessageCodecRegistry.of().get("xml")).hasMessageContaining("available: none;");
    }

    @Test
    void installed_hasTheBinaryCodec() {
        assertThat(MessageCodecRegistry.installed().names()).contains("binary");
        assertThat(MessageCodecRegistry.installed().find("binary")).containsInstanceOf(BinaryMessageCodec.class);
        assertThat(MessageCodecRegistry.installed().find("absent")).isEmpty();
    }

    @Test
    void installed_brokenProvider_isAClearError(@TempDir Path directory) throws IOException {
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.writeString(services.resolve(MessageCodec.class.getName()), "no.such.Codec");
        URL[] classPath = {directory.toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(classPath, MessageCodecRegistry.class.getClassLoader())) {
            assertThatThrownBy(() -> MessageCodecRegistry.installed(loader))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("no.such.Codec");
        }
    }

    @Test
    void of_twoOfOneName_isRefusedUnlessTheyAreTheSame() {
        MessageCodec other = new MessageCodec() {
            @Override
            public String name() {
                return "binary";
            }

            @Override
            public String contentType() {
                return "a/b";
            }

            @Override
            public int maxStateBytes() {
                return 0;
            }

            @Override
            public CodecSession newSession(MessageLimits limits) {
                throw new UnsupportedOperationException();
            }
        };
        assertThat(MessageCodecRegistry.of(new BinaryMessageCodec(), new BinaryMessageCodec())
                        .names())
                .containsExactly("binary");
        assertThatThrownBy(() -> MessageCodecRegistry.of(new BinaryMessageCodec(), other))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("two have the name binary");
    }
}
