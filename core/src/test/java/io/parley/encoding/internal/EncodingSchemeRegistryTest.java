package io.parley.encoding.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.encoding.EncodingPolicy;
import io.parley.encoding.EncodingScheme;
import io.parley.error.ErrorCode;
import io.parley.error.InvalidCallException;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class EncodingSchemeRegistryTest {
    @Test
    void get_unknownName_namesAvailableAndMissing() {
        assertThatThrownBy(() -> EncodingSchemeRegistry.of(new Base64Encoding()).get("gz"))
                .isInstanceOfSatisfying(
                        InvalidCallException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_COMMON_CODEC))
                .hasMessageContaining("encoding scheme gz: not found; available: base64; ")
                .hasMessageContaining("io.parley:parley-codec-compress");
        assertThatThrownBy(() -> EncodingSchemeRegistry.of().get("gz")).hasMessageContaining("available: none;");
    }

    @Test
    void of_twoOfOneName_isRefusedUnlessTheyAreTheSame() {
        assertThat(EncodingSchemeRegistry.of(new Base64Encoding(), new Base64Encoding())
                        .names())
                .containsExactly("base64");
        assertThatThrownBy(() -> EncodingSchemeRegistry.of(new Base64Encoding(), named("base64")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("two have the name base64");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "~", "a~b", "GZ", "a b", "é", "123456789012345678901234567890123"})
    void of_aNameThatCannotMarkAnElement_isRefused(String name) {
        assertThatThrownBy(() -> EncodingSchemeRegistry.of(named(name)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + name + "'");
        assertThatThrownBy(() -> EncodingPolicy.of(named(name))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void installed_isLoadedOnce() {
        assertThat(EncodingSchemeRegistry.installed()).isSameAs(EncodingSchemeRegistry.installed());
    }

    @Test
    void installed_brokenProvider_isAClearError(@TempDir Path directory) throws IOException {
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.writeString(services.resolve(EncodingScheme.class.getName()), "no.such.Scheme");
        URL[] classPath = {directory.toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(classPath, EncodingSchemeRegistry.class.getClassLoader())) {
            assertThatThrownBy(() -> EncodingSchemeRegistry.installed(loader))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("no.such.Scheme");
        }
    }

    private static EncodingScheme named(String name) {
        return new EncodingScheme() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public boolean accepts(MessageElement element) {
                return false;
            }

            @Override
            public Optional<Payload> encode(MessageElement element) {
                return Optional.empty();
            }

            @Override
            public Payload decode(MessageElement element, long maxBytes) {
                throw new UnsupportedOperationException();
            }
        };
    }
}
