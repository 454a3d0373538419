package io.parley.encoding.internal;

import io.parley.encoding.EncodingScheme;
import io.parley.message.MessageElement;
import io.parley.testkit.encoding.EncodingSchemeContractTest;
import java.util.Random;

/** Tests the contract with a minimal scheme. */
final class Base64EncodingTest extends EncodingSchemeContractTest {
    @Override
    protected EncodingScheme scheme() {
        return new Base64Encoding();
    }

    @Override
    protected MessageElement encodable(Random random) {
        byte[] bytes = new byte[2 + random.nextInt(60)];
        random.nextBytes(bytes);
        return MessageElement.of("bytes", bytes);
    }

    @Override
    protected boolean isInstalled() {
        return false;
    }
}
