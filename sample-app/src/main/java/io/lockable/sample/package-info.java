package io.lockable.sample;
