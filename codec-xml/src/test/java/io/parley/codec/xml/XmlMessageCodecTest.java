package io.parley.codec.xml;

import io.parley.codec.MessageCodec;
import io.parley.testkit.codec.MessageCodecContractTest;

/** The contract. */
final class XmlMessageCodecTest extends MessageCodecContractTest {
    @Override
    protected MessageCodec codec() {
        return new XmlMessageCodec();
    }

    @Override
    protected boolean carriesSignatures() {
        return false;
    }
}
