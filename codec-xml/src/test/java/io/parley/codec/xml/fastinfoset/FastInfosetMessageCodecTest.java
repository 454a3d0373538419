package io.parley.codec.xml.fastinfoset;

import io.parley.codec.MessageCodec;
import io.parley.codec.MessageCodecContractTest;

/** The contract, and what the format promises beyond it. */
final class FastInfosetMessageCodecTest extends MessageCodecContractTest {
    @Override
    protected MessageCodec codec() {
        return new FastInfosetMessageCodec();
    }

    @Override
    protected boolean carriesSignatures() {
        return false;
    }
}
